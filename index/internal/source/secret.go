package source

import (
	"slices"
	"strings"
)

// IsSecret says whether the name of a file, or of a folder above it, stands for
// keys or credentials. Such a file is neither listed nor read. Case does not
// matter. Source code about secrets (credentials.go, secrets_test.py), public
// keys and templates (.env.example) do not count.
func IsSecret(path string) bool {
	path = strings.ToLower(path)
	dir, base := split(path)
	return inSecretFolder(dir) || secretName(dir, withoutBackup(base))
}

// inSecretFolder says whether the folder is, or lies in, one in which
// everything is secret.
func inSecretFolder(dir string) bool {
	for elem := range strings.SplitSeq(dir, "/") {
		switch strings.ToLower(elem) {
		case ".ssh", ".aws", ".gnupg", ".azure", ".gcloud":
			return true
		}
	}
	return false
}

// withoutBackup removes what editors and people add to the name of a copy, as
// often as it is there.
func withoutBackup(base string) string {
	for {
		short := strings.TrimSuffix(base, "~")
		for _, ext := range []string{".bak", ".backup", ".old", ".orig", ".save", ".swp", ".tmp"} {
			short = strings.TrimSuffix(short, ext)
		}
		if short == base || short == "" {
			return base
		}
		base = short
	}
}

func secretName(dir, base string) bool {
	stem, ext := cutExt(base)
	switch ext {
	case ".example", ".sample", ".template", ".dist", ".tmpl", ".tpl":
		return false
	case ".pem", ".key", ".p8", ".p12", ".pfx", ".pkcs12", ".ppk", ".jks", ".keystore", ".kdb", ".kdbx",
		".keytab", ".agekey", ".tfstate":
		return true
	case ".env":
		last := stem[strings.LastIndexByte(stem, '.')+1:]
		return !slices.Contains([]string{"example", "sample", "template"}, last)
	}
	switch base {
	case ".env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".git-credentials",
		".htpasswd", ".dockercfg", ".s3cfg", ".boto", ".vault-token", ".vault_pass", "shadow":
		return base != "shadow" || dir == "etc" || strings.HasSuffix(dir, "/etc")
	case "config", "config.json":
		_, in := split(dir)
		return in == ".kube" || in == ".docker"
	}
	if strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, ".env-") || strings.HasPrefix(base, ".env_") {
		return true
	}
	return maybeSecret(base, stem, ext) && !isCodeOrProse(base)
}

// maybeSecret says whether the name is about secrets: it may hold them or be
// the source that handles them.
func maybeSecret(base, stem, ext string) bool {
	for _, key := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
		if rest, ok := strings.CutPrefix(base, key); ok {
			return ext != ".pub" && (rest == "" || strings.ContainsAny(rest[:1], "._-"))
		}
	}
	switch stem {
	case "credentials", "credential", "secrets", "secret":
		// A file "secret" or "credential" with no extension may be anything.
		return ext != "" || strings.HasSuffix(stem, "s")
	}
	if ext == ".json" {
		for _, p := range []string{"service-account", "service_account", "serviceaccount", "client_secret", "client-secret"} {
			if strings.HasPrefix(stem, p) {
				return true
			}
		}
		return strings.HasSuffix(stem, "_credentials") || strings.HasSuffix(stem, "-credentials")
	}
	return false
}

// isCodeOrProse says whether the extension is that of a programming language or
// of a text for people, so that a name like credentials.go is about secrets and
// does not hold them.
func isCodeOrProse(base string) bool {
	switch Language(base, nil) {
	case "", "text", "json", "yaml", "toml", "ini", "xml", "csv":
		return false
	}
	return true
}

// cutExt cuts a name before its last dot. A dot at the beginning begins no extension.
func cutExt(base string) (stem, ext string) {
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[:i], base[i:]
	}
	return base, ""
}
