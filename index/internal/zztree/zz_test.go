package zztree
import ("testing";"os";"fmt";"strings";"github.com/quarry-search/quarry/index/internal/syntax";"github.com/quarry-search/quarry/index/internal/lower/javascript";"github.com/quarry-search/quarry/index/internal/ir")
func TestX(t *testing.T){
 src,_:=os.ReadFile(os.Getenv("SRC"))
 p:=syntax.NewParser()
 _,tr:=p.ParseTree(os.Getenv("L"),src)
 var walk func(n syntax.Node,d int)
 walk=func(n syntax.Node,d int){
  f:=tr.Field(n); if f!=""{f+=": "}
  if tr.Named(n){
  txt:=""; if tr.First(n)==0{txt=" "+tr.Text(n)}
  fmt.Printf("%s%s%s%s\n",strings.Repeat("  ",d),f,tr.Kind(n),txt)
  } else if os.Getenv("ALL")!="" || f!="" {fmt.Printf("%s%s%q\n",strings.Repeat("  ",d),f,tr.Kind(n))}
  for c:=range tr.Children(n){walk(c,d+1)}
 }
 if os.Getenv("T")!="" {walk(tr.Root(),0)}
 if os.Getenv("D")!="" {fmt.Print(ir.Dump(javascript.Lower(os.Getenv("L"),tr)))}
}
