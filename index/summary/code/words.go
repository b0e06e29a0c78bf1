package code

import "strings"

// keywords stand before a bracket without being called.
var keywords = set(`if for while switch catch return function func fn fun def sizeof typeof await match elif else and or not in
	is new super self this assert del lambda defer go select using lock foreach except with when unless until do end try
	case throw raise yield from import nil null none None undefined true false True False var let const val static public
	private void int bool char string double float long unsigned signed struct class where as async mut ref move box
	decltype alignof noexcept template typename auto register extern inline then fi done esac pub impl unsafe loop Some Ok None Result Option Self guard catch`)

// dull names are called everywhere and say nothing about their callers, in lower case.
var dull = set(`len cap append make new copy delete print println printf sprintf format errorf error errors str string int float
	bool list dict tuple range enumerate zip isinstance issubclass hasattr getattr setattr super type id repr sorted reversed
	iter next min max sum abs any all log debug info warn warning trace fatal push pop get set put add remove contains size
	length tostring equals hashcode to_string to_s to_str to_i to_a to_sym into from clone unwrap expect some none ok err as_ref
	as_str as_mut as_slice as_bytes collect map and_then ok_or ok_or_else map_err unwrap_or unwrap_or_default unwrap_or_else
	to_owned default vec push_str then catch resolve reject require call apply bind foreach each each_with_index join split
	trim strip replace startswith endswith lower upper tolowercase touppercase is_a nil empty sizeof malloc free memset memcpy strlen
	strcmp static_cast dynamic_cast reinterpret_cast const_cast move forward begin end cbegin cend find front back data c_str
	emplace_back push_back reserve resize insert erase first second include extend raise lambda proc freeze dup tap send
	respond_to isempty isnullorempty isnull nonnull checknotnull requirenonnull println printstacktrace getclass getname get_or_insert
	slice splice filter reduce concat keys values entries assign isarray hasownproperty number object array parseint
	promise settimeout cleartimeout addeventlistener includes indexof some every test match exec nameof typeof assert
	assert_eq assert_ne debug_assert todo unimplemented write writeln ipairs pairs tonumber tostring pcall rawget rawset unpack
	select insert setmetatable getmetatable sprintf fprintf snprintf fputs puts static isset unset count in_array is_array is_string
	array_merge array_map sprintf implode explode func_get_args is_null is_callable array_key_exists string_view size_t move_if_noexcept
	len_utf8 is_some is_none is_ok is_err is_empty iter_mut take fmt debug_struct field finish as_deref unwrap_err forall let
	also run apply it require check setof listof mapof mutablelistof arrayof arraylist hashmap pure fmap return show
	println readln tolist toarray tomap aslist stream of empty valueof super init deinit alloc dealloc release retain copywith
	cast isvalid getvalue setvalue has hasnext items update setdefault clear index bytes encode decode callable property staticmethod
	classmethod partial frommaybe maybe left right just either seq eprintln matches cfg cfg_attr doc never as_ptr suspend optin suppress jvmname jsname gsub method byte rune int64 int32 uint uint32 uint64 float64 noerror equal equals echo cd local declare shift exit return export true false iif gettype tryget throw throwif`)

// generic names say nothing of what they hold, in lower case.
var generic = set(`result results res ret rv out output value val data err error self this tmp temp item obj object response x y n i
	s b ok null none nil undefined true false status code args list array buf buffer cls super default r rc`)

// effects are what calls do outside of the program, or beyond their result, by the lower
// case of what is called: whole, or its last part.
var effects = func() map[string]string {
	m := map[string]string{}
	for _, row := range []struct{ effect, names string }{
		{"reads files", `open fopen os.open os.openfile os.readfile ioutil.readfile readfile readfilesync fs.readfile fs.readfilesync file.read
			file.open file.readlines io.open read_text read_bytes read_to_string file_get_contents files.readstring files.readallbytes
			file.readalltext file.readallbytes fileinputstream filereader os.readdir os.listdir readdir opendir os.walk filepath.walk filepath.walkdir
			glob.glob file.exist file.exists os.stat fs.existssync os.path.exists file_exists files.exists file.openread`},
		{"writes files", `os.writefile os.create ioutil.writefile writefile writefilesync fs.writefile write_text write_bytes file.write
			file_put_contents file.writealltext fwrite os.mkdir os.mkdirall os.makedirs mkdir_p os.rename fs.rename os.remove os.removeall
			os.unlink unlink fs.unlink rmdir shutil.rmtree fileutils.rm_rf fileutils.mkdir_p fileoutputstream filewriter file.delete files.write
			file.create tempfile.new mkdtemp mkstemp`},
		{"uses the network", `http.get http.post http.newrequest http.newrequestwithcontext net.dial net.listen net.dialtimeout fetch axios axios.get axios.post requests.get
			requests.post requests.request urlopen urllib.request.urlopen socket socket.socket connect bind listen accept recv sendto getaddrinfo
			http.request https.request net.connect net.createserver tcpstream.connect tcplistener.bind httpclient socket.create_connection
			curl_exec curl_easy_perform asyncio.open_connection loop.create_connection net.http.start`},
		{"queries a database", `cursor.execute db.query db.exec db.queryrow db.execute conn.execute connection.execute session.execute session.query executequery
			executeupdate repo.all repo.one repo.insert repo.update repo.delete repo.get queryrowcontext querycontext execcontext`},
		{"reads the environment", `os.environ os.environ.get os.getenv os.lookupenv getenv env.fetch env.var std.env.var process.env system.getenv environment.getenvironmentvariable
			system.get_env secure_getenv env.get`},
		{"reads the clock", `time.now datetime.now datetime.utcnow datetime.datetime.now date.now instant.now systemtime.now system.currenttimemillis system.nanotime time.time time.monotonic
			performance.now gettimeofday clock_gettime datetime.utcnow clock.now process.hrtime time.perf_counter os.time os.clock localdatetime.now`},
		{"sleeps", `time.sleep asyncio.sleep thread.sleep sleep usleep nanosleep tokio.time.sleep task.delay process.sleep`},
		{"is random", `rand.intn rand.int random.random random.randint random.choice math.random rand.float64 rand.read random.nextint thread_rng rand.random uuid.uuid4 uuid.randomuuid
			securerandom.hex os.urandom crypto.randombytes rand.new`},
		{"runs a program", `exec.command exec.commandcontext subprocess.run subprocess.popen subprocess.check_output subprocess.call os.system popen child_process.spawn child_process.exec
			execve execvp command.new process.start runtime.exec system shell_exec open3.capture3 execsync spawnsync system.cmd`},
		{"starts a thread or task", `threading.thread thread thread.new thread.spawn std.thread.spawn tokio.spawn spawn asyncio.create_task create_task ensure_future pthread_create
			task.run globalscope.launch launch executor.submit executorservice.submit task.async task.start tokio.task.spawn_blocking spawn_blocking uv_thread_create
			worker threadpoolexecutor`},
		{"locks", `mutex.lock mu.lock mu.rlock lock.acquire pthread_mutex_lock enterwritelock enterreadlock reentrantlock synchronize monitor.enter lock_guard
			unique_lock scoped_lock`},
		{"exits the program", `os.exit sys.exit process.exit std.process.exit system.exit environment.exit exitprocess`},
	} {
		for _, name := range strings.Fields(row.names) {
			m[name] = row.effect
		}
	}
	return m
}()

// sockets are calls of C that are everyday words in other languages.
var sockets = set(`connect bind listen accept recv open system launch spawn fetch thread worker sleep unlink execute synchronize`)

// effectOf says what a call does beyond its result; "": nothing is known.
func effectOf(lang, whole string) string {
	lower := strings.ToLower(whole)
	i := strings.LastIndexByte(lower, '.')
	if i < 0 {
		switch {
		case !sockets[lower], lang == "c" || lang == "cpp":
			if lang != "csharp" && lower == "open" && lang != "python" && lang != "perl" && lang != "c" {
				return ""
			}
			return effects[lower]
		case lang == "python" && whole == "open", lang == "javascript" && whole == "fetch", lang == "typescript" && whole == "fetch":
			return effects[lower]
		case (lang == "kotlin" && whole == "launch") || (lang == "elixir" && whole == "spawn"), lang == "perl" || lang == "php" || lang == "ruby" && whole == "system":
			return effects[lower]
		}
		return ""
	}
	if e := effects[lower]; e != "" {
		return e
	}
	if strings.HasSuffix(lower, ".lock") || strings.HasSuffix(lower, ".rlock") {
		return "locks"
	}
	before := lower[:i]
	return effects[before[strings.LastIndexByte(before, '.')+1:]+lower[i:]]
}
