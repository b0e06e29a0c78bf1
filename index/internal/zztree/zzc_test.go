package zztree
import ("testing";"os";"fmt";"bufio";"encoding/json";"io/fs";"path/filepath";"strings";"sort";"time"
"github.com/quarry-search/quarry/index/internal/syntax";"github.com/quarry-search/quarry/index/internal/lower";"github.com/quarry-search/quarry/index/internal/graph";"github.com/quarry-search/quarry/index/internal/source")
type pl struct{p string;l,c int}
func rd(a []any) pl { return pl{a[0].(string),int(a[1].(float64)),int(a[2].(float64))} }
func TestOracle(t *testing.T){
 root:=os.Getenv("DIR")
 fh,_:=os.Open(os.Getenv("ORACLE")); sc:=bufio.NewScanner(fh); sc.Buffer(nil,1<<26)
 type site struct{At []any; Text,Kind string; To,Also [][]any}
 sites:=map[pl]site{}; files:=map[string]bool{}
 for sc.Scan(){var s site; json.Unmarshal(sc.Bytes(),&s); sites[rd(s.At)]=s; files[s.At[0].(string)]=true}
 p:=syntax.NewParser(); g:=graph.New()
 n:=0
 filepath.WalkDir(root,func(path string,d fs.DirEntry,err error)error{
  if err!=nil{return nil}
  if d.IsDir(){if n:=d.Name();n==".git"||n=="node_modules"||n=="dist"{return fs.SkipDir};return nil}
  rel,_:=filepath.Rel(root,path)
  if graph.IsConfig(rel){b,_:=os.ReadFile(path);g.Config(rel,b);return nil}
  switch filepath.Ext(path){case ".ts",".tsx",".js",".jsx",".mjs",".cjs",".mts",".cts",".vue":default:return nil}
  src,_:=os.ReadFile(path); if len(src)>1000000{return nil}
  lang:=source.Language(rel,src)
  f,tr:=p.ParseTree(lang,src)
  if low:=lower.File(&f,tr);low!=nil{g.Put(rel,low);n++}
  return nil})
 t0:=time.Now(); g.Resolve(); fmt.Println(n,"files; resolve",time.Since(t0))
 type ed struct{to pl; conf graph.Confidence; rule graph.Rule; name string}
 got:=map[pl][]ed{}
 g.Each(func(e graph.Edge)bool{
  if e.Kind!=graph.Calls||e.Rule==graph.ByProperty{return true}
  from,to:=g.Node(e.From),g.Node(e.To)
  at:=pl{from.Path,e.Pos.Line(),e.Pos.Column()}
  got[at]=append(got[at],ed{pl{to.Path,to.Pos.Line(),to.Pos.Column()},e.Confidence,e.Rule,to.Name})
  return true})
 reason:=map[pl]string{}
 g.EachSite(func(s graph.Site)bool{from:=g.Node(s.From);reason[pl{from.Path,s.Pos.Line(),s.Pos.Column()}]=s.Reason.String()+" "+s.Name;return true})
 var tp,fp,want,found int
 var absWant,absFound,absTp,absFp int
 ex:=map[string]int{};why:=map[string][]string{}
 note:=func(k,s string){ex[k]++; why[k]=append(why[k],s)}
 for at,s:=range sites{
  if strings.Contains(at.p,".d.ts"){continue}
  ok:=map[pl]bool{}
  for _,x:=range s.To{ok[rd(x)]=true}
  also:=map[pl]bool{}
  for _,x:=range s.Also{also[rd(x)]=true}
  edges:=got[at]
  switch s.Kind{
  case "project","external":
   certain:=0
   for _,e:=range edges{ if e.conf>=graph.Possible{continue}
    certain++
    if ok[e.to]||also[e.to]{tp++}else{fp++;note(fmt.Sprintf("FP %s rule %v",s.Kind,e.rule),fmt.Sprintf("%v %s -> %v %s want %v",at,s.Text,e.to,e.name,s.To))}}
   if s.Kind=="project"{ for to:=range ok{ want++; hit:=false; for _,e:=range edges{if e.to==to&&e.conf<graph.Possible{hit=true}}
     if hit{found++}else{
      k:="MISS "; if len(edges)>0{k+="other edges"}else if r,y:=reason[at];y{k+=strings.SplitN(r," ",3)[0]+" "+strings.SplitN(r," ",3)[1]}else{k+="no site"}
      note(k,fmt.Sprintf("%v %s want %v (%s) got %v",at,s.Text,to,reason[at],edges))}}}
  case "abstract":
   for _,e:=range edges{ if e.conf>=graph.Possible{ continue}; if ok[e.to]||also[e.to]{absTp++}else{absFp++;note("ABSFP",fmt.Sprintf("%v %s -> %v want %v",at,s.Text,e,s.To))}}
   absWant++
   hit:=false
   for _,e:=range edges{if ok[e.to]{hit=true}}
   if hit{absFound++}else{note("ABSMISS",fmt.Sprintf("%v %s want %v got %v %s",at,s.Text,s.To,edges,reason[at]))}
  }
 }
 fmt.Printf("precision %.4f (%d/%d) recall %.4f (%d/%d)\n",float64(tp)/float64(tp+fp),tp,tp+fp,float64(found)/float64(want),found,want)
 fmt.Printf("abstract precision %.4f (%d) recall %.4f (%d)\n",float64(absTp)/float64(absTp+absFp),absTp+absFp,float64(absFound)/float64(absWant),absWant)
 var ks []string; for k:=range ex{ks=append(ks,k)}; sort.Slice(ks,func(i,j int)bool{return ex[ks[i]]>ex[ks[j]]})
 out,_:=os.Create(os.Getenv("OUT")); defer out.Close()
 for _,k:=range ks{fmt.Println(ex[k],k); sort.Strings(why[k]); for _,w:=range why[k]{fmt.Fprintln(out,k,"|",w)}}
}
