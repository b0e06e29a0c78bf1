package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A curve is a column of the CSV file in a chart.
type curve struct {
	label, column string
	per           float64 // what the column is divided by
}

// A chart is a picture of several curves over the number of indexed files, both axes
// logarithmic, so that a law of growth is a straight line.
type chart struct {
	file, title, axis string
	curves            []curve
}

var charts = []chart{
	{"time.png", "Build", "seconds", []curve{
		{"all found: CPU", "found_cpu_seconds", 1}, {"call graph, too: CPU", "ready_cpu_seconds", 1}, {"restart, to the first answer", "restart_seconds", 1},
	}},
	{"memory.png", "Memory and disk", "MB", []curve{
		{"resident at most", "peak_rss_bytes", 1e6}, {"resident after", "rss_bytes", 1e6}, {"snapshot", "snapshot_bytes", 1e6}, {"source", "source_bytes", 1e6},
	}},
	{"query.png", "What a question costs", "milliseconds of CPU", []curve{
		{"hybrid", "hybrid_cpu_ms", 1}, {"hybrid, one folder", "folder_cpu_ms", 1}, {"symbol", "symbol_cpu_ms", 1},
		{"regex", "regex_cpu_ms", 1}, {"grep", "grep_cpu_ms", 1}, {"impact", "impact_cpu_ms", 1},
	}},
	{"latency.png", "Answers, half are sooner", "milliseconds", []curve{
		{"hybrid", "hybrid_p50_ms", 1}, {"hybrid, one folder", "folder_p50_ms", 1}, {"symbol", "symbol_p50_ms", 1},
		{"regex", "regex_p50_ms", 1}, {"grep", "grep_p50_ms", 1}, {"impact", "impact_p50_ms", 1}, {"edit to visible", "edit_p50_ms", 1},
	}},
	{"size.png", "What is in the index", "thousands", []curve{
		{"symbols", "symbols", 1e3}, {"chunks", "chunks", 1e3}, {"identifiers", "identifiers", 1e3},
	}},
}

// palette can be told apart by people who see no red or no green (Okabe and Ito, 2008).
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255},
}

// plotScale draws the charts of a CSV file into a folder, and prints its figures as a
// table and the laws of growth.
func plotScale(o options, out io.Writer) error {
	rows, err := readScale(o.csv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	fmt.Fprintln(out, scaleTable(rows))
	for _, c := range charts {
		if err := c.draw(rows, filepath.Join(o.out, c.file)); err != nil {
			return err
		}
		for _, v := range c.curves {
			if factor, exponent, ok := law(rows, v.column); ok {
				fmt.Fprintf(out, "%-18s ~ %.3g * files^%.2f; %.3g for a million\n", v.column, factor, exponent, factor*math.Pow(1e6, exponent))
			}
		}
	}
	return nil
}

func (c chart) draw(rows []scaleReport, path string) error {
	p := plot.New()
	p.Title.Text = c.title
	p.X.Label.Text, p.Y.Label.Text = "indexed files", c.axis
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	drawn := false
	for i, v := range c.curves {
		var points plotter.XYs
		for _, r := range rows {
			if y := r.value(v.column) / v.per; y > 0 && r.Indexed > 0 { // a logarithm has no zero
				points = append(points, plotter.XY{X: float64(r.Indexed), Y: y})
			}
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width, dots.Color, dots.Shape = palette[i%len(palette)], vg.Points(1.5), palette[i%len(palette)], draw.CircleGlyph{}
		p.Add(line, dots)
		p.Legend.Add(v.label, line, dots)
		drawn = true
	}
	if !drawn {
		return fmt.Errorf("there are no figures for %s", path)
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		if axis.Max <= axis.Min { // one size, or the same figure for all
			axis.Min, axis.Max = axis.Min/2, axis.Max*2
		}
	}
	return p.Save(13*vg.Centimeter, 9*vg.Centimeter, path)
}

// law fits y = factor * files^exponent to a column: a line of least squares through the
// logarithms. It needs two sizes.
func law(rows []scaleReport, column string) (factor, exponent float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	for _, r := range rows {
		y := r.value(column)
		if y <= 0 || r.Indexed <= 0 {
			continue
		}
		x, y := math.Log(float64(r.Indexed)), math.Log(y)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	spread := n*sxx - sx*sx
	if n < 2 || spread < 1e-9 {
		return 0, 0, false
	}
	exponent = (n*sxy - sx*sy) / spread
	return math.Exp((sy - exponent*sx) / n), exponent, true
}
