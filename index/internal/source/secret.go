package source

import (
	"slices"
	"strings"
)

// IsSecret says whether the name of a file, or of a folder above it, stands for
// keys or credentials. Such a file is neither listed nor read. Case does not
// matter, and a copy or an editor's backup has the name of what it is one of. Source code
// about secrets (credentials.go, secrets_test.py), public keys and templates
// (.env.example) do not count.
//
// The names are those of the programs that write the files, by their own documentation;
// which programs there are goes by the lists in gitleaks (github.com/gitleaks/gitleaks) and
// gitrob's signatures (github.com/michenriksen/gitrob).
func IsSecret(path string) bool {
	path = strings.ToLower(path)
	dir, base := split(path)
	if inSecretFolder(dir) {
		return true
	}
	names := originals(base)
	if isTemplate(base) || slices.ContainsFunc(names, isTemplate) {
		return false
	}
	return secretName(dir, base) || slices.ContainsFunc(names, func(name string) bool { return secretName(dir, name) })
}

// IsSecret says whether a file is never listed nor read: by its name, or since it is one of
// Options.Private or below one.
func (t *Tree) IsSecret(path string) bool {
	return IsSecret(path) || t.isPrivate(path)
}

func (t *Tree) isPrivate(path string) bool {
	return slices.ContainsFunc(t.private, func(p string) bool { return below(path, p) })
}

// isTemplate says whether the name is of what somebody is to copy and fill in.
func isTemplate(base string) bool {
	_, ext := cutExt(base)
	return slices.Contains([]string{".example", ".sample", ".template", ".dist", ".tmpl", ".tpl"}, ext)
}

// inSecretFolder says whether the folder is, or lies in, one in which
// everything is secret.
func inSecretFolder(dir string) bool {
	for elem := range strings.SplitSeq(dir, "/") {
		switch strings.ToLower(elem) {
		case ".ssh", ".aws", ".gnupg", ".azure", ".gcloud", ".kube", ".password-store", ".terraform.d", ".putty", ".oci", ".electrum", ".secrets":
			return true
		}
	}
	return strings.HasSuffix(dir, ".config/gcloud") || strings.Contains(dir, ".config/gcloud/") || strings.HasSuffix(dir, ".config/gh")
}

// secretExtensions are those of files that hold keys, or passwords of others.
var secretExtensions = []string{
	".pem", ".key", ".p8", ".p12", ".pfx", ".pkcs12", ".pk8", ".ppk", ".jks", ".bks", ".keystore", ".kdb", ".kdbx", ".psafe3", ".1pif",
	".keytab", ".agekey", ".agilekeychain", ".keychain", ".keychain-db", ".kwallet", ".wallet", ".ovpn", ".kubeconfig",
	".tfstate", ".tfvars", ".htpasswd", ".netrc", ".pgpass", ".npmrc",
}

// secretNames are whole names.
var secretNames = []string{
	".env", ".envrc", ".flaskenv", ".dev.vars", "env.local",
	".netrc", "_netrc", "netrc", ".authinfo", ".pgpass", "pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".dbshell",
	".npmrc", ".pypirc", ".git-credentials", ".gitcredentials", ".hub", ".dockercfg", ".dockerconfigjson", ".s3cfg", ".boto",
	".htpasswd", "htpasswd", ".htdigest", ".vault-token", ".vault_token", ".vault_pass", ".vault-pass", ".vaultpass", ".vault_password", ".vault-password",
	"vault_pass.txt", "vault-pass.txt", "vault_password.txt", "vault-password.txt", "vault_password", "vault-password",
	"kubeconfig", ".kubeconfig", "kubeconfig.yaml", "kubeconfig.yml", "kubeconfig.json", "kubeconfig.conf",
	".terraformrc", "terraform.rc", "credentials.tfrc.json", ".databrickscfg", ".snowsql", ".esmtprc", ".msmtprc", ".fetchmailrc", ".getmailrc",
	".ftpconfig", "sftp-config.json", ".remote-sync.json", "filezilla.xml", "recentservers.xml", "sitemanager.xml", "proftpdpasswd",
	"settings-security.xml", "hudson.util.secret", "otr.private_key", "wallet.dat", "secring.gpg", "robomongo.json",
	".bash_history", ".zsh_history", ".sh_history", ".psql_history", ".mysql_history", ".rediscli_history", ".python_history", ".node_repl_history",
	".quarry-token", "quarry-token",
}

func secretName(dir, base string) bool {
	stem, ext := cutExt(base)
	switch ext {
	case ".env", ".tfvars":
		last := stem[strings.LastIndexByte(stem, '.')+1:]
		return !slices.Contains([]string{"example", "sample", "template"}, last)
	}
	if ext != "" && slices.Contains(secretExtensions, ext) || slices.Contains(secretNames, base) || strings.HasSuffix(base, ".tfvars.json") {
		return true
	}
	_, in := split(dir)
	switch base {
	case "shadow", "gshadow", "master.passwd":
		return in == "etc"
	case "config", "config.json":
		return in == ".docker"
	case "settings.xml":
		return in == ".m2"
	case "gradle.properties":
		return in == ".gradle"
	case "admin.conf":
		return in == "kubernetes"
	case "sftp.json":
		return in == ".vscode"
	}
	if strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, ".env-") || strings.HasPrefix(base, ".env_") || strings.HasPrefix(base, "utc--") && in == "keystore" {
		return true
	}
	return maybeSecret(base, stem, ext) && !isCodeOrProse(base)
}

// maybeSecret says whether the name is about secrets: it may hold them or be
// the source that handles them.
func maybeSecret(base, stem, ext string) bool {
	for _, key := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"} {
		if rest, ok := strings.CutPrefix(base, key); ok {
			return ext != ".pub" && (rest == "" || strings.ContainsAny(rest[:1], "._-"))
		}
	}
	switch stem {
	case "credentials", "credential", "secrets", "secret", "kubeconfig", "htpasswd", ".vault_pass", ".vault-pass", "vault_pass", "vault-pass", "vault_password", "vault-password":
		// A file "secret" or "credential" with no extension may be anything.
		return ext != "" || strings.HasSuffix(stem, "s")
	}
	if strings.HasPrefix(base, "kubeconfig-") || strings.HasPrefix(base, "kubeconfig_") || strings.HasPrefix(base, "kubeconfig.") {
		return true
	}
	if ext == ".json" {
		for _, p := range []string{"service-account", "service_account", "serviceaccount", "client_secret", "client-secret", "gcp-key", "gcloud-key", "google-credentials"} {
			if strings.HasPrefix(stem, p) || strings.HasSuffix(stem, p) {
				return true
			}
		}
		return strings.Contains(stem, "firebase-adminsdk") || strings.HasSuffix(stem, "_credentials") || strings.HasSuffix(stem, "-credentials")
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
