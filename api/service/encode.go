package service

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/api/session"
	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// buffers are reused between responses. A rare large one is not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keepBuffer = 256 << 10 // bytes

// Release gives a buffer of Encode back.
func Release(b *bytes.Buffer) {
	if b.Cap() <= keepBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// Encode returns v as JSON, in a buffer to be given back with Release.
func Encode(v any) (*bytes.Buffer, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // it is code that we send, not a page
	return b, e.Encode(v)
}

// head has each head of an answer say how many masks are in what it is about, and which fields
// of the request had no effect.
func (c *Call) head(body any) {
	if batch, ok := body.(*wire.BatchResponse); ok {
		for i := range batch.Answers {
			m := &batch.Answers[i].Meta
			m.Masked, m.Ignored = masks(reflect.ValueOf(&batch.Answers[i])), c.Ignored
		}
		return
	}
	v := reflect.ValueOf(body).Elem()
	if v.Kind() != reflect.Struct {
		return
	}
	if meta := v.FieldByName("Meta"); meta.IsValid() {
		meta.FieldByName("Masked").SetInt(int64(masks(v)))
		v = meta
	}
	if ignored := v.FieldByName("Ignored"); ignored.IsValid() {
		ignored.Set(reflect.ValueOf(c.Ignored))
	}
}

// masks counts the masks in all texts of a value.
func masks(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return strings.Count(v.String(), index.MaskMark)
	case reflect.Pointer, reflect.Interface:
		return masks(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			n += masks(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += masks(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			n += masks(it.Value())
		}
	}
	return n
}

// A response is an answer on its way, of the index's types: it can be made shorter until it
// fits, and then becomes one of api/wire.
type response interface {
	// wire returns the answer as it is now: a pointer to a struct of api/wire.
	wire() any
	// trim leaves results out from the end of each list, so that about a share of
	// them is left, fewer than before and at least one; it reports whether it did.
	trim(share float64) bool
	// short reports whether it leaves something out.
	short() bool
}

// trimPage is trim of an answer with one page of the entries of several lists.
func trimPage(b interface {
	Given() int
	Keep(n int)
	Lacks(cuts []answer.Cut)
}, page *answer.Page, offset int, meta *wire.Meta, share float64) bool {
	n := b.Given()
	if n <= 1 {
		return false
	}
	n = answer.Fewer(n, share)
	b.Keep(n)
	page.Shorten(offset, n, cutSize)
	b.Lacks(page.Cuts)
	meta.Truncated, meta.TruncatedBy = true, cutsOf(page.Cuts)
	return true
}

func (b *searchResponse) trim(share float64) bool { return trim(&b.results, &b.meta, share) }

func (b *batchResponse) trim(share float64) bool {
	trimmed := false
	for i := range b.answers {
		if a := &b.answers[i]; trim(&a.results, &a.meta, share) {
			trimmed = true
		}
	}
	return trimmed
}

func trim(results *[]search.Result, meta *wire.Meta, share float64) bool {
	n := len(*results)
	if n <= 1 {
		return false
	}
	*results = (*results)[:answer.Fewer(n, share)]
	if meta.Tokens > 0 {
		meta.Tokens = several.Cost(*results)
	}
	cut(meta, cutSize)
	return true
}

// fit makes an answer that is not too long of it: results are left out, whole ones, and
// meta says so. What it costs its reader is noted in the call.
func (s *Service) fit(c *Call, d response) (any, error) {
	for {
		if billed, ok := d.(charged); ok {
			c.sum = billed.bill()
			billed.stamp(c.sum.Receipt(c.reader))
		}
		body := d.wire()
		if c.Form.Osgrep {
			body = body.(*wire.SearchResponse).Osgrep() // it is of one query
		}
		c.head(body)
		b, err := Encode(body)
		if err != nil {
			return nil, err
		}
		if b.Len() <= s.limits.Response || !d.trim(float64(s.limits.Response)/float64(b.Len())) {
			c.JSON, c.Cut = b, d.short()
			return body, nil
		}
		Release(b)
	}
}

// A charged response says what it costs.
type charged interface {
	response
	// bill adds up what is left of the response.
	bill() *session.Bill
	// stamp gives the response its receipt, if it is to have one. Bill was called before.
	stamp(wire.Receipt)
}

func (b *searchResponse) bill() *session.Bill {
	sum := session.NewBill()
	sum.Results(b.results)
	return sum
}

func (b *searchResponse) stamp(r wire.Receipt) {
	if b.receipted {
		b.receipt = &r
	}
}

func (b *batchResponse) bill() *session.Bill {
	sum := session.NewBill()
	for i := range b.answers {
		sum.Results(b.answers[i].results)
	}
	return sum
}

func (b *batchResponse) stamp(r wire.Receipt) {
	if b.receipted {
		b.receipt = &r
	}
}

func (b *contextResponse) bill() *session.Bill {
	return packBill(b.Tokens, b.TokensRaw, b.References, b.Given)
}

// packBill is the bill of one text of one project.
func packBill(tokens, raw, references int, given []answer.Lines) *session.Bill {
	sum := session.NewBill()
	sum.Add("", tokens)
	sum.Raw, sum.References = raw, references
	sum.Lines[""] = given
	return sum
}

func (b *contextResponse) stamp(r wire.Receipt) {
	r.Files = b.Files
	b.receipt = r
}

// The others have no receipt of their own, but are counted.

func (b *skeletonResponse) bill() *session.Bill {
	sum := session.NewBill()
	sum.Add("", b.Tokens)
	for i := range b.Files {
		sum.File("", b.Files[i].File, b.Files[i].TokensRaw)
	}
	return sum
}

func (b *skeletonResponse) stamp(wire.Receipt) {}

func (b *extractResponse) bill() *session.Bill {
	sum := session.NewBill()
	sum.Add("", b.Tokens)
	sum.File("", b.File, b.FileTokens)
	sum.Lines[""] = []answer.Lines{{File: b.File, Hash: b.FileHash, From: b.Line, To: b.EndLine}}
	return sum
}

func (b *extractResponse) stamp(wire.Receipt) {}

func (b *startupResponse) bill() *session.Bill {
	return packBill(b.Tokens, b.TokensRaw, b.References, b.Given)
}

func (b *startupResponse) stamp(r wire.Receipt) {
	r.Files = b.Files
	b.receipt = r
}
