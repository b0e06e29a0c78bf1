package te

// Default budgets of an answer, in characters.
const (
	defaultBudget = 16_000
	// reserve is what the header and the breadcrumbs may take of a budget.
	reserve = 800
	// LeastBudget is the smallest budget, in characters: one line of 2,000 bytes with
	// its path, and what is around it.
	LeastBudget = 4_000
)

// Budgets say how many characters an answer to an agent may have, by its id.
type Budgets map[string]int

// DefaultBudgets returns the table that holds unless it is configured. The entry "default" holds
// for agents that have none.
func DefaultBudgets() Budgets {
	return Budgets{
		"gemini-shell": 900_000,
		"claude-dc":    180_000,
		"qwen-local":   28_000,
		"human-cli":    50_000,
		"default":      defaultBudget,
	}
}

// Of returns the budget of an agent, in characters. An agent that is not in the table
// has that of "default", else of "unknown", else 16,000.
func (b Budgets) Of(agent string) int {
	for _, name := range []string{agent, "default", "unknown"} {
		if n, ok := b[name]; ok && n > 0 {
			return n
		}
	}
	return defaultBudget
}
