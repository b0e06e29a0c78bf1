package zztree
import ("testing";"os";"fmt";"time";"io/fs";"path/filepath";"strings";"github.com/quarry-search/quarry/index/internal/syntax";"github.com/quarry-search/quarry/index/internal/lower/javascript")
func TestTime(t *testing.T){
 p:=syntax.NewParser()
 var parse,low time.Duration; var bytes,n int; var exprs int
 type sl struct{d time.Duration;n string;sz int}; var worst []sl
 filepath.WalkDir(os.Getenv("DIR"),func(path string,d fs.DirEntry,err error)error{
  if err!=nil||d.IsDir(){if d!=nil&&d.Name()==".git"{return fs.SkipDir};return nil}
  lang:=map[string]string{".ts":"typescript",".tsx":"tsx",".js":"javascript",".jsx":"javascript",".mjs":"javascript",".vue":"vue"}[filepath.Ext(path)]
  if lang==""||strings.Contains(path,"node_modules"){return nil}
  src,_:=os.ReadFile(path); if len(src)>500000{return nil}
  t0:=time.Now()
  _,tr:=p.ParseTree(lang,src)
  t1:=time.Now()
  if tr==nil{return nil}
  f:=javascript.Lower(lang,tr)
  t2:=time.Now()
  parse+=t1.Sub(t0);low+=t2.Sub(t1);bytes+=len(src);n++;exprs+=len(f.Exprs)
  worst=append(worst,sl{t2.Sub(t1),path,len(src)})
  return nil})
 fmt.Printf("%d files %d KB parse %v lower %v exprs %d\n",n,bytes/1000,parse,low,exprs)
 for i:=0;i<5;i++{b:=0;for j:=range worst{if worst[j].d>worst[b].d{b=j}};fmt.Println(worst[b]);worst[b].d=0}
}
