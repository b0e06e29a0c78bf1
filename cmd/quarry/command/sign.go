package command

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// maxPublicKeys is how long a file of public keys may be, in bytes: hundreds of them.
const maxPublicKeys = 64 << 10

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

// publicKeys reads the keys of which one has to have signed a snapshot, as openssl pkey
// -pubout writes them, one after the other; "" is none.
func publicKeys(path string) ([]ed25519.PublicKey, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, folder.Reason(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxPublicKeys {
		return nil, fmt.Errorf("key file %s is not a regular file of at most %d bytes", path, maxPublicKeys)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, folder.Reason(err))
	}
	var keys []ed25519.PublicKey
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "PUBLIC KEY" {
			return nil, fmt.Errorf("key file %s has a %s, where a PUBLIC KEY should be", path, block.Type)
		}
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("key file %s: %w", path, err)
		}
		public, ok := key.(ed25519.PublicKey)
		if !ok {
			return nil, fmt.Errorf("key file %s has a key that is not of Ed25519", path)
		}
		keys = append(keys, public)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("key file %s has no public key in PEM: openssl pkey -in KEY -pubout writes one", path)
	}
	return keys, nil
}
