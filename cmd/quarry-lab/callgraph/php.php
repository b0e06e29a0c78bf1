<?php
// Appends to a file, when a program ends, one JSON object a line: the files of a project that it has
// loaded, and where each of its functions and methods is defined, under the name that a trace of
// xdebug has for it. PHP loads it before the program (auto_prepend_file).
namespace QuarryLab;

register_shutdown_function(function () {
    $root = rtrim(realpath(getenv('QUARRY_LAB_ROOT')), '/') . '/';
    $out = fopen(getenv('QUARRY_LAB_OUT'), 'a');
    flock($out, LOCK_EX);
    $own = function ($file) use ($root) {
        return $file !== false && strncmp($file, $root, strlen($root)) === 0 && strpos($file, '/vendor/') === false ? substr($file, strlen($root)) : null;
    };
    foreach (get_included_files() as $file) {
        if (($path = $own($file)) !== null) {
            fwrite($out, json_encode(['File' => $path]) . "\n");
        }
    }
    $tell = function ($name, $f) use ($own, $out) {
        if (($path = $own($f->getFileName())) !== null) {
            fwrite($out, json_encode(['Defined' => $name, 'Path' => $path, 'Line' => $f->getStartLine(), 'Name' => $f->getShortName(), 'Empty' => $f instanceof \ReflectionMethod && $f->isAbstract()]) . "\n");
        }
    };
    foreach (get_defined_functions()['user'] as $name) {
        $f = new \ReflectionFunction($name);
        $tell($f->getName(), $f);
    }
    foreach (array_merge(get_declared_classes(), get_declared_traits(), get_declared_interfaces()) as $class) {
        foreach ((new \ReflectionClass($class))->getMethods() as $m) {
            if ($m->getDeclaringClass()->getName() === $class) {
                $tell($class . '::' . $m->getName(), $m);
            }
        }
    }
});
