package ir_test

import (
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
)

// chunk is how many bytes are packed together.
const chunk = 1 << 20

// BenchmarkCodec saves and restores all files of a folder of the machine's own:
//
//	QUARRY_BENCH_ROOT=$(go env GOROOT)/src go test -run '^$' -bench Codec -benchtime 3x ./index/internal/ir
func BenchmarkCodec(b *testing.B) {
	root := os.Getenv("QUARRY_BENCH_ROOT")
	if root == "" {
		b.Skip("QUARRY_BENCH_ROOT names no folder")
	}
	files := lowerFolder(b, root)
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false))
	if err != nil {
		b.Fatal(err)
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	defer unpack.Close()

	var encode, decode, packing, unpacking time.Duration
	var whole, packed int
	for b.Loop() {
		began := time.Now()
		chunks := []*snapshot.Encoder{{}}
		for _, f := range files {
			e := chunks[len(chunks)-1]
			if len(e.Bytes()) >= chunk {
				e = &snapshot.Encoder{}
				chunks = append(chunks, e)
			}
			f.Save(e)
		}
		encode += time.Since(began)

		began = time.Now()
		small := make([][]byte, len(chunks))
		whole, packed = 0, 0
		for i, e := range chunks {
			small[i] = pack.EncodeAll(e.Bytes(), nil)
			whole += len(e.Bytes())
			packed += len(small[i])
		}
		packing += time.Since(began)

		restored := 0
		for i := range small {
			began = time.Now()
			data, err := unpack.DecodeAll(small[i], nil)
			if err != nil {
				b.Fatal(err)
			}
			unpacking += time.Since(began)
			began = time.Now()
			d := snapshot.NewDecoder(data)
			for d.Left() > 0 {
				ir.Restore(d, nil)
				restored++
			}
			decode += time.Since(began)
			if d.Err() != nil {
				b.Fatal(d.Err())
			}
		}
		if restored != len(files) {
			b.Fatalf("%d files of %d came back", restored, len(files))
		}
	}
	n := float64(b.N)
	nodes := 0
	for _, f := range files {
		nodes += len(f.Exprs)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(files)), "files")
	b.ReportMetric(float64(nodes), "nodes")
	b.ReportMetric(float64(whole), "bytes")
	b.ReportMetric(float64(packed), "packed-bytes")
	b.ReportMetric(float64(whole)*n/1e6/encode.Seconds(), "encode-MB/s")
	b.ReportMetric(packing.Seconds()/n, "pack-s")
	b.ReportMetric(unpacking.Seconds()/n, "unpack-s")
	b.ReportMetric(decode.Seconds()/n, "decode-s")
}

// lowerFolder lowers the files of a folder, in order.
func lowerFolder(b *testing.B, root string) []*ir.File {
	tree, err := source.Open(root, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	list, _, err := tree.Walk(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	p := lang.NewParser()
	defer p.Close()
	var files []*ir.File
	for _, f := range list {
		text, skip, err := tree.Read(f)
		if err != nil || skip != nil {
			continue
		}
		if low := lowerText(p, f.Path, text); low != nil {
			files = append(files, low)
		}
	}
	return files
}
