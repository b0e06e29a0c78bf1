import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The files of the repository that the journeys are made in. */
const files = {
  "go.mod": "module example.org/shop\n\ngo 1.26\n",
  "cart/cart.go": `// Package cart holds what somebody wants to buy.
package cart

import "example.org/shop/price"

// A Cart has lines.
type Cart struct{ lines []Line }

// A Line is a number of one article.
type Line struct {
	Article string
	Count   int
}

// Add puts an article into the cart.
func (c *Cart) Add(article string, count int) {
	c.lines = append(c.lines, Line{article, count})
}

// Total sums up what the lines of a cart cost, in cents.
func (c *Cart) Total() int {
	sum := 0
	for _, l := range c.lines {
		sum += price.Of(l.Article) * l.Count
	}
	return discount(sum)
}

func discount(sum int) int {
	if sum > 10000 {
		return sum * 95 / 100
	}
	return sum
}
`,
  "cart/cart_test.go": `package cart

import "testing"

func TestTotal(t *testing.T) {
	var c Cart
	c.Add("tea", 3)
	if got := c.Total(); got != 1200 {
		t.Errorf("the total is %d", got)
	}
}
`,
  "price/price.go": `// Package price knows what things cost.
package price

var cents = map[string]int{"tea": 400, "cup": 950}

// Of returns what an article costs, in cents; 0 where it is not known.
func Of(article string) int { return cents[article] }
`,
  "shop.py": `"""Orders that come by mail."""


def parse_order(text):
    """Reads the articles of an order, one a line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def send_invoice(order, address):
    """Writes an invoice to the buyer's address."""
    return f"{address}: {len(parse_order(order))} articles"
`,
  "web/form.ts": `/** Checks what somebody has filled in. */
export function validateForm(fields: Record<string, string>): string[] {
  return Object.keys(fields).filter((name) => fields[name] === "");
}
`,
  "README.md": "# Shop\n\nA shop that sells tea.\n",
};

/** Makes the repository in a folder of its own, or within a copy of another one. */
export function repository(more = {}, within = "") {
  const path = mkdtempSync(join(tmpdir(), "quarry-journeys-"));
  if (within) cpSync(within, path, { recursive: true, filter: (file) => !/\/(\.git|node_modules|bin|lib|bench|dist)$/.test(file) });
  for (const [name, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
