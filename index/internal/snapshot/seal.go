package snapshot

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// An ID is the SHA-256 of the head of a file without its signature. The head contains the
// hashes of all sections, so two files with one ID have the same contents.
type ID [sha256.Size]byte

// String returns the ID in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// rootOf computes the ID from a head with so many sections.
func rootOf(head []byte, sections int) (id ID) {
	h := sha256.New()
	h.Write(head[:rootAt])
	h.Write(head[tableAt : tableAt+sections*entryLength])
	h.Sum(id[:0])
	return id
}

// How a file is signed.
const (
	unsigned      = 0
	signedEd25519 = 1
)

// signed is what is signed: the ID after words that nothing else signed by the same key
// begins with.
func signed(id ID) []byte { return append([]byte("quarry snapshot 2\n"), id[:]...) }

// seal signs a head.
func seal(head []byte, id ID, key ed25519.PrivateKey) {
	binary.LittleEndian.PutUint32(head[sealAt:], signedEd25519)
	copy(head[sealAt+8:], key.Public().(ed25519.PublicKey))
	copy(head[sealAt+40:], ed25519.Sign(key, signed(id)))
}

// unseal returns the key that has signed a head, nil where nobody has.
func unseal(head []byte, id ID) (ed25519.PublicKey, error) {
	block := head[sealAt:tableAt]
	switch kind := binary.LittleEndian.Uint32(block); {
	case kind == unsigned && zero(block):
		return nil, nil
	case kind != signedEd25519 || !zero(block[4:8]):
		return nil, fmt.Errorf("%w: a signature of kind %d", ErrDamaged, kind)
	}
	key := ed25519.PublicKey(bytes.Clone(block[8:40]))
	if !ed25519.Verify(key, signed(id), block[40:]) {
		return nil, fmt.Errorf("%w: its signature is not that of its key", ErrDamaged)
	}
	return key, nil
}

// Fingerprint names a key, as ssh-keygen does: the SHA-256 of its 32 bytes in base 64.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
