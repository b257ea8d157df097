class Kukla < Formula
  desc "@SUMMARY@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  # There is no binary for macOS yet; `cargo install` may work there.
  depends_on :linux

  on_linux do
@PLATFORMS@
  end

  def install
    bin.install "kukla", "kukla-ci"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kukla.bash" => "kukla"
    zsh_completion.install "completions/_kukla"
    fish_completion.install "completions/kukla.fish"
  end

  test do
    (testpath/"site.pp").write "notify { 'hello': }\n"
    assert_match "notify", shell_output("#{bin}/kukla parse --format pn site.pp")
  end
end
