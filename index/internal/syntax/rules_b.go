package syntax

// rulesB are the rules of the languages that are not in rulesA.
func rulesB() map[string]rules {
	return map[string]rules{}
}
