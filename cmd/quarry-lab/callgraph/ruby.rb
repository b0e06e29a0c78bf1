# Records the calls of a Ruby project while a program runs, and appends one JSON object a line
# to a file: where the name of each call that ran stands, and where the function that it ran
# is defined. It is loaded before the program (ruby -r), with QUARRY_LAB_ROOT as the folder of
# the project and QUARRY_LAB_OUT as the file.
#
# It needs CRuby 3.1 or 3.2, whose syntax trees tell the node that a frame is at. What the
# interpreter calls without a call in the source is of the kind "implicit"; what a library or the
# interpreter calls back is of the kind "foreign", and stands where the project called that.
require "json"

module QuarryLab
  ROOT = File.realpath(ENV.fetch("QUARRY_LAB_ROOT")) + "/"
  OUT = ENV.fetch("QUARRY_LAB_OUT")
  AST = RubyVM::AbstractSyntaxTree
  TESTS = %r{(\A|/)(test|tests|spec|specs|features|vendor|benchmarks?)/|_(test|spec)\.rb\z|/test_[^/]*\.rb\z}

  @paths = {}
  @sources = {}
  @edges = {}

  # A Source is a file of the project.
  class Source
    attr_reader :functions

    def initialize(path)
      @lines = File.readlines(path, encoding: "BINARY")
      @functions = []
      visit(AST.parse_file(path))
    end

    def visit(node)
      case node.type
      when :DEFN, :DEFS
        name = node.children[node.type == :DEFN ? 0 : 1]
        @functions << [node.first_lineno, name.to_s]
      end
      node.children.each { |c| visit(c) if c.is_a?(AST::Node) }
    end

    # called returns what a node calls, with the place of the name: line and column from 1.
    def called(node)
      case node.type
      when :FCALL, :VCALL, :SUPER, :ZSUPER
        name = node.type.to_s.end_with?("SUPER") ? :super : node.children[0]
        [name, node.first_lineno, node.first_column + 1]
      when :CALL, :QCALL
        name = node.children[1]
        at = after(node.children[0], name) and [name, *at]
      end
    end

    # after finds a name behind a receiver.
    def after(receiver, name)
      line, column = receiver.last_lineno, receiver.last_column
      8.times do
        text = @lines[line - 1] or return
        # The receiver may be in brackets that are not part of it.
        if (at = text.index(/(&?\.|::)\s*#{Regexp.escape(name.to_s.b)}(?![\w?!])/n, column))
          return [line, text.index(name.to_s.b, at) + 1]
        end
        line, column = line + 1, 0
      end
      nil
    end
  end

  def self.path(file)
    @paths.fetch(file) do
      full = File.exist?(file.to_s) ? File.realpath(file) : ""
      @paths[file] = full.start_with?(ROOT) && full.end_with?(".rb") && !full.include?("/vendor/bundle/") ? full.delete_prefix(ROOT) : nil
    end
  end

  def self.source(path)
    @sources.fetch(path) { @sources[path] = begin Source.new(ROOT + path) rescue SyntaxError end }
  end

  # node_at returns what a frame runs; of two calls on a line that lead to the same, the first.
  def self.node_at(frame)
    AST.of(frame, keep_script_lines: true)
  rescue ArgumentError, RuntimeError, SyntaxError, TypeError # of a text that is evaluated
    nil
  end

  # entered notes what called a function.
  def self.entered(point, frames)
    to = path(point.path) or return
    first = frames.first
    caller = frames.find { |f| path(f.path) }
    seen = [first && first.path, first && first.lineno, caller && caller.path, caller && caller.lineno, point.callee_id, to, point.lineno]
    @edges[seen] ||= begin
      kind, line, column = "foreign", 0, 0
      if caller && (s = source(path(caller.path)))
        node = node_at(caller) and (name, line, column = s.called(node))
        kind = "implicit" if first.path == caller.path
        made = name == :new && point.method_id == :initialize
        kind = "direct" if first.path == caller.path && (made || name == :super || name == point.callee_id)
        line, column = caller.lineno, 1 if kind != "direct"
        kind = "foreign" if kind == "implicit" && name
      end
      from = caller ? path(caller.path) : ""
      {Kind: kind, At: [from, line.to_i, column.to_i], To: [[to, point.lineno, 0]]}
    end
  end

  def self.write
    all = @edges.values.group_by { |e| [e[:Kind], e[:At]] }
    files = $LOADED_FEATURES.map { |f| path(f) }.compact | @paths.values.compact
    File.open(OUT, "a") do |out|
      out.flock(File::LOCK_EX)
      files.each do |f|
        out.puts({File: f}.to_json)
        next if TESTS.match?(f)
        s = source(f) and s.functions.each { |line, name| out.puts({Function: [f, line, 0], Name: name}.to_json) }
      end
      all.each { |(kind, at), edges| out.puts({Kind: kind, At: at, To: edges.flat_map { |e| e[:To] }.uniq}.to_json) }
    end
  end

  TRACE = TracePoint.new(:call) { |point| entered(point, caller_locations(2, 12) || []) }
  at_exit do
    TRACE.disable
    write
  end
  TRACE.enable
end
