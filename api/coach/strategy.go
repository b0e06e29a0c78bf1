package coach

// A Density says how often an answer stops to say what is left out.
type Density string

// The densities.
const (
	High   Density = "high"
	Medium Density = "medium"
	Low    Density = "low"
)

// A Strategy is a form of an answer.
type Strategy struct {
	ID      int     // the v of the answer's header, from 1; 1 is the default form
	Preview int     // matches, lines or paths that a long answer shows at first
	HotZone bool    // the header says where most of it is
	Density Density // of the lines that say what is left out
}

// Default returns the form of a command's answers where nobody chooses: that with ID 1.
// It is the zero Strategy where the command has no forms.
func Default(cmd string) Strategy {
	if all := strategies(cmd); len(all) > 0 {
		return all[0]
	}
	return Strategy{}
}

// strategies returns the forms of a command's answers, by ID. The counts are kept by ID:
// a form that changes gets a new one, and no ID is used twice.
func strategies(cmd string) []Strategy {
	switch cmd {
	case "grep":
		return []Strategy{
			{1, 10, true, Medium},
			{2, 5, true, High},
			{3, 25, true, Medium},
			{4, 10, false, Low},
			{5, 50, true, Low},
		}
	case "cat":
		return []Strategy{
			{1, 50, false, Medium},
			{2, 25, false, Medium},
			{3, 100, false, Medium},
		}
	case "find":
		return []Strategy{
			{1, 25, false, Medium},
			{2, 10, false, Medium},
			{3, 50, false, Medium},
		}
	}
	return nil
}
