var e=[{name:"search",title:"Search",nav:!0,load:()=>import("./views/search.js")},{name:"status",title:"Status",nav:!0,load:()=>import("./views/status.js")}];export{e as a};
