import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/**
 * Prints the table types.txt: a type a line, with what it is (i: an interface, f: a final class, c: another
 * class), what it is below, and the names of the methods that classes outside of the library may override.
 */
public class types {
    static final Set<String> PACKAGES = Set.of("java.io", "java.lang", "java.lang.constant", "java.math", "java.net", "java.nio", "java.nio.charset", "java.nio.file",
            "java.text", "java.time", "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.function", "java.util.regex",
            "java.util.stream");

    static final String ENDS = "addFirst addLast getFirst getLast removeFirst removeLast reversed";
    static final String MAPPED = "firstEntry lastEntry pollFirstEntry pollLastEntry putFirst putLast reversed sequencedEntrySet sequencedKeySet sequencedValues";

    /** Methods of later versions than the one that runs this. */
    static final Map<String, String> LATER = Map.of("java.lang.CharSequence", "getChars", "java.io.Reader", "readAllAsString readAllLines",
            "java.util.List", ENDS, "java.util.Deque", "reversed", "java.util.LinkedHashSet", ENDS, "java.util.SortedSet", ENDS,
            "java.util.LinkedHashMap", MAPPED, "java.util.SortedMap", MAPPED, "java.util.concurrent.ExecutorService", "close",
            "java.util.concurrent.Future", "exceptionNow resultNow state");

    public static void main(String[] args) throws Exception {
        TreeMap<String, String> lines = new TreeMap<>();
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
        try (Stream<Path> files = Files.walk(modules)) {
            for (Path p : (Iterable<Path>) files::iterator) {
                String name = modules.relativize(p).toString().replace('/', '.');
                if (!name.endsWith(".class") || name.indexOf('.') < 0) continue;
                name = name.substring(0, name.length() - ".class".length());
                int last = name.lastIndexOf('.');
                if (last < 0 || !PACKAGES.contains(name.substring(0, last))) continue;
                Class<?> c = Class.forName(name, false, null);
                if (!visible(c)) continue;
                String dotted = c.getCanonicalName();
                if (dotted != null) lines.put(dotted, line(c, dotted));
            }
        }
        lines.values().forEach(System.out::println);
    }

    static boolean visible(Class<?> c) {
        for (; c != null; c = c.getDeclaringClass())
            if (!Modifier.isPublic(c.getModifiers()) && !Modifier.isProtected(c.getModifiers())) return false;
        return true;
    }

    static String line(Class<?> c, String dotted) {
        TreeSet<String> above = new TreeSet<>(), methods = new TreeSet<>();
        of(c, above, methods);
        String kind = c.isInterface() ? "i" : Modifier.isFinal(c.getModifiers()) ? "f" : "c";
        if (kind.equals("f")) methods.clear();
        else if (LATER.containsKey(dotted)) methods.addAll(List.of(LATER.get(dotted).split(" ")));
        return dotted + " " + kind + " " + String.join(" ", above) + (methods.isEmpty() ? "" : " : " + String.join(" ", methods));
    }

    /** What is above a class, and its methods; those of bases that are not public count as its own. */
    static void of(Class<?> c, Set<String> above, Set<String> methods) {
        for (Method m : c.getDeclaredMethods()) {
            int is = m.getModifiers();
            if ((Modifier.isPublic(is) || Modifier.isProtected(is)) && !Modifier.isStatic(is) && !Modifier.isFinal(is) && !m.isSynthetic()) methods.add(m.getName());
        }
        List<Class<?>> up = new ArrayList<>(List.of(c.getInterfaces()));
        if (c.getSuperclass() != null && c.getSuperclass() != Object.class) up.add(c.getSuperclass());
        for (Class<?> u : up) {
            if (visible(u)) above.add(u.getSimpleName());
            else of(u, above, methods);
        }
    }
}
