package store

// Kept returns the one T of a View, which begins as its zero value: what a question
// leaves for the next ones. One that has a method Forget is told of each commit.
func Kept[T any](x *View) *T {
	key := (*T)(nil)
	if v, ok := x.keeps.Load(key); ok {
		return v.(*T)
	}
	v, _ := x.keeps.LoadOrStore(key, new(T))
	return v.(*T)
}

// forget tells what is kept of a commit.
func (x *View) forget() {
	x.keeps.Range(func(_, v any) bool {
		if v, ok := v.(interface{ Forget() }); ok {
			v.Forget()
		}
		return true
	})
}
