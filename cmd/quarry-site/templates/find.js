// Finds the sections that have all words of a query: first those that have them in their
// headings.
"use strict";
const query = document.getElementById("query");
const found = document.getElementById("found");

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const ranked = [];
  for (const section of sections) {
    const head = `${section.page} ${section.head}`.toLowerCase();
    const whole = `${head} ${section.text.toLowerCase()}`;
    if (words.every((word) => whole.includes(word))) {
      ranked.push({ section, rank: words.filter((word) => head.includes(word)).length });
    }
  }
  return ranked.sort((a, b) => b.rank - a.rank).slice(0, 20);
}

query.form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
query.addEventListener("input", () => {
  found.replaceChildren(
    ...find(query.value).map(({ section }) => {
      const link = document.createElement("a");
      link.href = document.body.dataset.home + section.href;
      link.textContent = section.page === section.head ? section.head : `${section.page}: ${section.head}`;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
});
