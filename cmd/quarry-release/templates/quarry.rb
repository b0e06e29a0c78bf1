# The formula of a tap, for Homebrew.
class Quarry < Formula
  desc "Code search for people, editors and coding agents, offline"
  homepage "https://github.com/quarry-search/quarry"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Platforms}}
  on_{{.System}} do
    on_{{.Processor}} do
      url "https://github.com/quarry-search/quarry/releases/download/v{{$.Version}}/{{.Archive}}"
      sha256 "{{sum .Archive}}"
    end
  end
{{end}}
  def install
    prefix.install Dir["*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/quarry --version")
  end
end
