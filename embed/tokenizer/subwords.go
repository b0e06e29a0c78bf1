package tokenizer

// Subwords calls yield with every subword of s, in lower case and in order, by the
// rules above and without a vocabulary: it is what a vocabulary is made of. The
// slice belongs to Subwords and changes with the next call of yield.
func Subwords(s string, yield func(subword []byte)) {
	var buf [maxLetters]byte
	for i := 0; i < len(s); {
		j := i + 1
		switch {
		case isUpper(s[i]):
			for j < len(s) && isUpper(s[j]) {
				j++
			}
			if j-i > 1 {
				if j < len(s) && isLower(s[j]) {
					j-- // the last capital begins the next subword
				}
				break
			}
			fallthrough
		case isLower(s[i]):
			for j < len(s) && isLower(s[j]) {
				j++
			}
		default:
			i++
			continue
		}
		if n := j - i; n >= minLetters && n <= maxLetters {
			for k := range n {
				buf[k] = s[i+k] | 0x20
			}
			yield(buf[:n])
		}
		i = j
	}
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
