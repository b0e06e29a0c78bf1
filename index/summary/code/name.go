package code

import (
	"strings"
	"unicode"
)

// nameWords cuts a name into its words: at underscores and other marks, and where the
// case says so. Words are lower case, but for abbreviations of capitals.
func nameWords(name string) []string {
	shouts := strings.ToUpper(name) == name
	var words []string
	var word []rune
	flush := func() {
		if len(word) == 0 {
			return
		}
		w := string(word)
		if shouts || len(word) < 2 || strings.ToUpper(w) != w {
			w = strings.ToLower(w)
		}
		words = append(words, w)
		word = word[:0]
	}
	runes := []rune(name)
	for i, c := range runes {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			flush()
			continue
		}
		upper := unicode.IsUpper(c)
		if len(word) > 0 && upper {
			before := word[len(word)-1]
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(before) || next {
				// HTTPServer is HTTP and Server; the s of IDs belongs to it.
				if !(next && unicode.IsUpper(before) && i+2 == len(runes) && runes[i+1] == 's') {
					flush()
				}
			}
		}
		word = append(word, c)
	}
	flush()
	return words
}

// spoken are the words of a name as one says them: abbreviations are written out.
func spoken(name string) []string {
	words := nameWords(name)
	for i, w := range words {
		if long, ok := abbreviations[w]; ok {
			words[i] = long
		}
	}
	return words
}

// abbreviations of programmers, and what they stand for wherever they are found.
var abbreviations = func() map[string]string {
	m := map[string]string{}
	for _, pair := range strings.Fields(`addr:address addrs:addresses arg:argument args:arguments attr:attribute attrs:attributes avail:available buf:buffer
		bufs:buffers calc:calculate cb:callback cert:certificate certs:certificates cfg:config cmd:command cmds:commands cmp:compare cnt:count
		conn:connection conns:connections ctx:context decl:declaration decls:declarations decr:decrement del:delete dest:destination
		dir:directory dirs:directories dst:destination elem:element elems:elements env:environment err:error evt:event exec:execute
		expr:expression exprs:expressions fmt:format fn:function func:function funcs:functions gen:generate hdr:header hdrs:headers
		ident:identifier idx:index impl:implementation incr:increment iter:iterator len:length lib:library loc:location mem:memory
		mgr:manager mk:make msg:message msgs:messages num:number obj:object objs:objects opt:option opts:options param:parameter params:parameters
		pkg:package pkgs:packages pos:position prev:previous proc:process prop:property props:properties ptr:pointer rand:random recv:receive
		ref:reference refs:references repr:representation req:request reqs:requests resp:response rm:remove seq:sequence sess:session
		sock:socket src:source srv:server stmt:statement stmts:statements str:string strs:strings sz:size tbl:table temp:temporary tmp:temporary
		tok:token toks:tokens usr:user val:value vals:values vec:vector ver:version xfer:transfer`) {
		short, long, _ := strings.Cut(pair, ":")
		m[short] = long
	}
	return m
}()

// set makes a table of words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// verbs are words that name an act where a name begins or ends with them.
var verbs = set(`abort accept acquire activate add adjust advance align allocate allow analyze announce append apply
	arrange assemble assert assign attach authenticate authorize await begin bind block blur break broadcast build bump
	calculate call cancel capture cast catch check choose clamp clean clear clip clone close coerce collapse collect
	combine commit compare compile complete compose compress compute concat concatenate configure confirm connect
	construct consume convert copy count crawl create debounce decode decompress decorate decrement decrypt deduplicate
	define delegate delete deny dequeue deregister derive describe deserialize destroy detach detect determine diff
	disable discard disconnect discover dismiss dispatch display dispose divide do download drain draw drop dump
	duplicate edit eject embed emit empty enable encode encrypt end enforce enqueue ensure enter enumerate erase
	escape establish estimate evaluate evict exclude execute exit expand expect expire explain export expose extend
	extract fail fetch fill filter finalize find finish fire fit fix flag flatten flip flush focus fold follow force
	forget fork format forward free freeze gather generate get give go grab grant grow guard guess handle hash hide
	highlight hold hook identify ignore implement import include increment index indent infer inflate inform inherit init
	initialize inject insert inspect install instantiate interpolate interpret intersect invalidate invert invoke isolate
	issue iterate join jump keep kill launch lex limit link listen load locate lock log login logout lookup lower mark
	match measure merge migrate mix modify monitor mount move multiply mutate navigate negate negotiate normalize notify
	observe obtain offer omit open optimize output override pack pad parse partition pass patch pause peek perform
	permit persist pick ping pipe place plan play poll pop populate postpone precompute predict prefetch prepare
	prepend present preserve pretty print process produce prompt propagate protect provide prune publish pull purge
	push put quantize query queue quit quote raise randomize read rebuild recalculate receive recompute reconcile
	reconnect record recover recycle redirect redo reduce refer refine reflect refresh refuse regenerate register reject
	relay release reload remove rename render reopen reorder repair repeat replace replay reply report request require
	reserve reset reshape resize resolve respond restart restore restrict resume retain retrieve retry return reuse
	reveal reverse revert review revoke rewind rewrite roll rollback rotate round route run sample sanitize save scale
	scan schedule scroll seal search seek select send separate serialize serve set settle setup share shift show
	shrink shuffle shutdown sign simplify simulate skip sleep slice snapshot solve sort spawn specify split spread
	squash start stop store stream strip submit subscribe subtract suggest sum summarize suspend swap switch sync
	synchronize take tell terminate throttle throw toggle tokenize touch trace track train transfer transform translate
	transpose traverse trigger trim truncate try tune unblock undo unescape unify uninstall union unlink unlock unmount
	unpack unquote unregister unset unsubscribe unwrap unzip update upgrade upload use validate verify visit wait walk
	warm warn watch wrap write yield zip marshal unmarshal stringify inspect infer lint strip resolve prefer tie want
	memoize shut tear adapt post intercept widen narrow weaken strengthen summon lend quiesce reap spill sweep probe shard alter rescue assume mock stub fake expect`)

// particles go with the words after a verb as they are.
var particles = set(`a an and as at by for from if in into is it no not of off on or out over per than that the then to
	up upon via when with without`)

// thirdPerson returns a verb as what someone does: parse, parses.
func thirdPerson(verb string) string {
	switch verb {
	case "init":
		return "initializes"
	case "setup":
		return "sets up"
	case "shutdown":
		return "shuts down"
	case "lookup":
		return "looks up"
	case "rollback":
		return "rolls back"
	case "login":
		return "logs in"
	case "logout":
		return "logs out"
	case "zip", "unzip", "quiz":
		return verb + "s"
	}
	n := len(verb)
	for _, end := range []string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(verb, end) {
			return verb + "es"
		}
	}
	if n > 1 && verb[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(verb[n-2])) {
		return verb[:n-1] + "ies"
	}
	return verb + "s"
}

// special are names that a language gives a meaning.
var special = map[string]string{
	"__init__": "", "__new__": "", "initialize": "", "constructor": "", "__construct": "", "init": "",
	"__repr__": "its text for developers", "__str__": "its text", "toString": "its text", "to_s": "its text", "String": "its text",
	"inspect": "its text for developers", "fmt": "writes it as text", "__eq__": "compares two for equality", "equals": "compares two for equality",
	"Equals": "compares two for equality", "hashCode": "its hash", "GetHashCode": "its hash", "__hash__": "its hash",
	"__len__": "how many it holds", "__iter__": "goes through what it holds", "__aiter__": "goes through what it holds",
	"__next__": "gives the next one", "__anext__": "gives the next one", "__contains__": "whether it holds one",
	"__enter__": "begins a with block", "__aenter__": "begins a with block", "__exit__": "ends a with block", "__aexit__": "ends a with block",
	"__call__": "runs when it is called", "__getitem__": "gets by key", "__setitem__": "sets by key", "__delitem__": "deletes by key",
	"__getattr__": "gets an attribute that is not there", "__setattr__": "sets an attribute", "__bool__": "whether it counts as true",
	"__del__": "cleans up", "__or__": "joins two with |", "__add__": "adds two", "__lt__": "compares for order",
	"main": "entry point", "Main": "entry point", "drop": "cleans up", "deinit": "cleans up", "finalize": "cleans up", "Error": "its message",
	"ServeHTTP": "handles a request", "method_missing": "handles a method that is not there",
}

// act says in words what a name says: what a function does, or what it gives.
func act(name, owner string) string {
	if text, ok := special[name]; ok && text != "" {
		return text
	}
	words := spoken(name)
	if len(words) == 0 {
		return ""
	}
	for i := 1; i+1 < len(words); i++ { // getOrLoad
		if w := words[i]; (w == "or" || w == "and") && verbs[words[i+1]] && verbs[strings.ToLower(words[0])] {
			words[i+1] = thirdPerson(words[i+1])
		}
	}
	first, rest := strings.ToLower(words[0]), strings.Join(words[1:], " ")
	kind := strings.Join(spoken(owner), " ")
	with := func(lead, alone string) string {
		if rest == "" {
			return alone
		}
		return lead + " " + rest
	}
	switch first {
	case "is", "are", "was":
		return with("whether it is", "whether it is so")
	case "has":
		return with("whether it has", "whether it has one")
	case "can", "should", "must", "may", "will", "needs", "supports", "contains", "allows", "accepts", "matches", "exists", "includes":
		return with("whether it "+first, "whether it "+first)
	case "new", "make":
		return with("makes", strings.TrimSpace("makes "+kind))
	case "to", "as", "into":
		return with("converts to", "converts")
	case "from", "of":
		return with(strings.TrimSpace("makes "+kind)+" from", strings.TrimSpace("makes "+kind))
	case "with":
		return with("with", "with another value")
	case "try":
		return tries(words[1:], kind)
	case "on", "before", "after", "when":
		return with("runs "+first, "runs "+first)
	case "by", "for":
		return first + " " + rest
	}
	if strings.HasSuffix(name, "?") {
		if verbs[first] && first != "empty" && first != "open" {
			return strings.TrimSpace("whether it " + thirdPerson(first) + " " + rest)
		}
		return "whether it is " + strings.Join(words, " ")
	}
	// What it is asked may come after what is asked: bufq_is_empty.
	for i := 1; i+1 < len(words) && strings.Contains(name, "_"); i++ {
		switch words[i] {
		case "is", "are", "has", "can", "needs", "should", "must", "wants":
			return "whether " + strings.Join(words, " ")
		}
	}
	if len(words) == 2 && ambiguous[first] && verbs[words[1]] && !ambiguous[words[1]] && strings.Contains(name, "_") {
		return thirdPerson(words[1]) + " " + first // share_destroy
	}
	if len(words) == 2 && nouns[first] && verbs[strings.ToLower(words[1])] && strings.Contains(name, "_") {
		return thirdPerson(strings.ToLower(words[1])) + " " + first // queue_push
	}
	if verbs[first] {
		return strings.TrimSpace(thirdPerson(first) + " " + rest)
	}
	// The act may come after what it is done to: buffer_append, http_parse_header.
	prefixed := len(words) > 2 && prefixable[strings.ToLower(words[1])] && strings.Contains(name, "_") // bats_kill_all
	last := len(words) - 1
	if prefixed {
		last = 1
	}
	for i := last; i > 0; i-- {
		verb := strings.ToLower(words[i])
		if !verbs[verb] || ambiguous[verb] && !prefixed || particles[strings.ToLower(words[i-1])] {
			continue
		}
		before, after := strings.Join(words[:i], " "), strings.Join(words[i+1:], " ")
		if after == "" {
			return thirdPerson(verb) + " " + before
		}
		if strings.Contains(name, "_") { // in other names it is more often a noun
			return thirdPerson(verb) + " " + after + " (" + before + ")"
		}
	}
	return strings.Join(words, " ")
}

// tries says what is tried, by the words after the first one of a name.
func tries(words []string, kind string) string {
	if len(words) == 0 {
		return "tries"
	}
	rest := strings.TrimSpace(strings.Join(words[1:], " "))
	lead := "tries to"
	switch words[0] {
	case "new", "from":
		lead += " make " + kind
		if words[0] == "from" {
			lead = strings.TrimSpace(lead) + " from"
		}
	case "to", "as", "into":
		lead += " convert"
		if rest != "" {
			lead += " to"
		}
	default:
		if !verbs[words[0]] {
			return "tries " + strings.Join(words, " ")
		}
		lead += " " + words[0]
	}
	return strings.TrimSpace(strings.TrimSpace(lead) + " " + rest)
}

// nouns are ambiguous verbs that are nouns before another verb.
var nouns = set(`queue list index cache map record log hash buffer block stream filter order request response report view lock match link page
	result range sample process pool sum string array tree table snapshot hook trace event pipe format`)

// prefixable are ambiguous verbs that are verbs after the prefix of a library.
var prefixable = set(`kill print load dump free open close check copy call send read write init show use run start stop log handle test find get
	set put push pull pop poll add fetch match move exit fail release`)

// ambiguous are verbs that are nouns where they do not come first.
var ambiguous = set(`index match set map list count filter order log cache hash record query queue request response report
	result limit link lock mark name offer output place plan process prompt record release reply return round route run
	sample scale search seal share shift sign slice snapshot sort start state stop store stream sum switch sync test touch
	trace track type use value view wait watch wrap write yield format block buffer call cast clip diff dump edit empty end
	exit export fit fix flag flip fold fork guard handle hook import input issue join jump kill load look match mock move
	pack pad pass patch pause pipe poll print pull push put read reset set setup show sleep split spread step stub swap
	try tune update upgrade upload visit walk warm zip estimate override present pretty import include do free fire fail
	catch break cancel change check close commit complete copy download draw drop error expect access focus go hold index
	lookup login logout rollback shutdown open measure compile object display import lower round clean clear clone delegate
	duplicate separate merge quote repeat purge offer`)
