package depot

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// A Place is a folder or a part of a bucket.
type Place struct {
	Folder string // absolute; "": a bucket

	Bucket, Prefix string
	Endpoint       string // HOST or HOST:PORT
	Plain          bool   // without TLS
	Region         string // "": the store is asked
	Roles          bool   // the machine has the credentials
}

// amazon is where buckets are of which nobody says where.
const amazon = "s3.amazonaws.com"

// ParsePlace reads a folder's path or s3://BUCKET/PREFIX?endpoint=URL&region=REGION. Where it
// names no endpoint or region, the given ones hold ("": those of Amazon, and the bucket's). Its
// error does not repeat what may be a secret.
func ParsePlace(text, endpoint, region string) (Place, error) {
	if !strings.Contains(text, "://") {
		abs, err := filepath.Abs(text)
		return Place{Folder: abs}, err
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.Fragment != "" || u.Port() != "" {
		return Place{}, errors.New("snapshots must be a folder, or like s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION")
	}
	if u.User != nil {
		return Place{}, errors.New("snapshots must not have credentials in the address: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials")
	}
	p := Place{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Region: region}
	if p.Prefix != "" && CheckName(p.Prefix) != nil {
		return Place{}, fmt.Errorf("snapshots cannot be below %q in a bucket", u.Path)
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Place{}, errors.New("snapshots: what follows the question mark is not NAME=VALUE&…")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values.Get(name); name {
		case "endpoint":
			endpoint = v
		case "region":
			p.Region = v
		case "credentials":
			if p.Roles = v == "role"; !p.Roles {
				return Place{}, errors.New("snapshots: credentials can only be role, which is that of the machine")
			}
		default:
			return Place{}, fmt.Errorf("snapshots: an address has endpoint, region and credentials, and no %q", name)
		}
	}
	return p, p.reach(endpoint)
}

// reach takes the endpoint apart.
func (p *Place) reach(endpoint string) error {
	if endpoint == "" {
		p.Endpoint = amazon
		return nil
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return errors.New("the endpoint of snapshots must be like https://HOST or http://HOST:PORT, without a path or credentials")
	}
	p.Endpoint, p.Plain = u.Host, u.Scheme == "http"
	return nil
}

// String returns the place for people.
func (p Place) String() string {
	switch {
	case p.Folder != "":
		return p.Folder
	case p.Prefix == "":
		return "s3://" + p.Bucket
	}
	return "s3://" + p.Bucket + "/" + p.Prefix
}
