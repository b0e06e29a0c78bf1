package command

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// privateKey reads the key that signs snapshots, as openssl genpkey -algorithm ed25519
// writes it: PKCS #8 in PEM. "" is none.
func privateKey(path string) (ed25519.PrivateKey, error) {
	if path == "" {
		return nil, nil
	}
	text, err := config.ReadSecret("key file", path, config.SecretsDir)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, fmt.Errorf("key file %s has no private key in PEM: openssl genpkey -algorithm ed25519 makes one", path)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	signer, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("key file %s has a key that is not of Ed25519", path)
	}
	return signer, nil
}
