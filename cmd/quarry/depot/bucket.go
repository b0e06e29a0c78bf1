package depot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// retries is how often a request is sent in all. The library's own default of ten takes
// minutes.
const retries = 3

// maxObjects is how many objects of a folder are looked at.
const maxObjects = 100_000

// bucket is a part of a bucket.
type bucket struct {
	client    *minio.Client
	transport *http.Transport
	place     Place
}

func openBucket(p Place, roles bool) (*bucket, error) {
	transport, err := minio.DefaultTransport(!p.Plain)
	if err != nil {
		return nil, err
	}
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if roles || p.Roles {
		providers = append(providers, &credentials.IAM{})
	}
	client, err := minio.New(p.Endpoint, &minio.Options{
		// Where no provider has credentials none are sent: a bucket may be public.
		Creds: credentials.NewChainCredentials(providers), Secure: !p.Plain, Region: p.Region, Transport: transport, MaxRetries: retries,
	})
	if err != nil {
		return nil, err
	}
	return &bucket{client, transport, p}, nil
}

func (b *bucket) rest() { b.transport.CloseIdleConnections() }

func (b *bucket) key(name string) string { return path.Join(b.place.Prefix, name) }

// said is an error of the store in a few words.
func (b *bucket) said(err error) error {
	var of minio.ErrorResponse
	if err == nil || !errors.As(err, &of) {
		return err
	}
	switch of.Code {
	case minio.NoSuchKey:
		return fmt.Errorf("it is not there: %w", fs.ErrNotExist)
	case minio.NoSuchBucket:
		return fmt.Errorf("%w: no bucket has the name %s", ErrNone, b.place.Bucket)
	case minio.PreconditionFailed, "ConditionalRequestConflict":
		return errChanged
	case minio.NotImplemented:
		return errors.New("the store has no conditional writes (If-Match), which snapshots need")
	case minio.AccessDenied, minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch:
		return fmt.Errorf("the store refuses these credentials (%s)", of.Code)
	}
	if of.StatusCode == http.StatusNotFound { // without a body that says more
		return fmt.Errorf("it is not there: %w", fs.ErrNotExist)
	}
	return fmt.Errorf("the store says %s", strings.Join(strings.Fields(fmt.Sprintf("%s %.200s", of.Code, of.Message)), " "))
}

func (b *bucket) read(ctx context.Context, name string, most int64) ([]byte, string, error) {
	o, err := b.client.GetObject(ctx, b.place.Bucket, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, "", b.said(err)
	}
	defer o.Close()
	text, err := io.ReadAll(io.LimitReader(o, most+1))
	if err != nil {
		return nil, "", b.said(err)
	}
	if int64(len(text)) > most {
		return nil, "", fmt.Errorf("%s has more than %d bytes", name, most)
	}
	info, err := o.Stat() // of what was read
	if err != nil {
		return nil, "", b.said(err)
	}
	return text, info.ETag, nil
}

func (b *bucket) replace(ctx context.Context, name string, text []byte, version string) error {
	opt := minio.PutObjectOptions{ContentType: "application/json", DisableMultipart: true}
	if version == "" {
		opt.SetMatchETagExcept("*")
	} else {
		opt.SetMatchETag(version)
	}
	_, err := b.client.PutObject(ctx, b.place.Bucket, b.key(name), bytes.NewReader(text), int64(len(text)), opt)
	if err = b.said(err); errors.Is(err, fs.ErrNotExist) { // it was removed meanwhile
		return errChanged
	}
	return err
}

func (b *bucket) size(ctx context.Context, name string) (int64, error) {
	info, err := b.client.StatObject(ctx, b.place.Bucket, b.key(name), minio.StatObjectOptions{})
	return info.Size, b.said(err)
}

// A reader says errors as the bucket does.
type reader struct {
	*minio.Object
	b *bucket
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Object.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.b.said(err)
	}
	return n, err
}

func (b *bucket) open(ctx context.Context, name string) (io.ReadCloser, error) {
	o, err := b.client.GetObject(ctx, b.place.Bucket, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, b.said(err)
	}
	return reader{o, b}, nil
}

func (b *bucket) put(ctx context.Context, name, path string) error {
	_, err := b.client.FPutObject(ctx, b.place.Bucket, b.key(name), path, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	return b.said(err)
}

func (b *bucket) list(ctx context.Context, folder string) (all []object, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // which ends the listing
	for o := range b.client.ListObjects(ctx, b.place.Bucket, minio.ListObjectsOptions{Prefix: b.key(folder) + "/"}) {
		switch {
		case o.Err != nil:
			return nil, b.said(o.Err)
		case strings.HasSuffix(o.Key, "/"):
			continue // further folders
		case len(all) == maxObjects:
			return nil, fmt.Errorf("%s has more than %d objects", folder, maxObjects)
		}
		all = append(all, object{path.Base(o.Key), o.LastModified})
	}
	return all, nil
}

func (b *bucket) remove(ctx context.Context, name string) error {
	return b.said(b.client.RemoveObject(ctx, b.place.Bucket, b.key(name), minio.RemoveObjectOptions{}))
}
