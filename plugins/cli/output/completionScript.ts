const BASH = `# bash completion for pegboard: source <(pegboard completion bash)
_pegboard() {
  local name
  COMPREPLY=()
  # Names come from servers: unquoted, the shell would run what they hold.
  while IFS= read -r name; do COMPREPLY+=( "$(printf %q "$name")" ); done \\
    < <(pegboard __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pegboard pegboard
`;
const ZSH = `#compdef pegboard
# zsh completion for pegboard: source <(pegboard completion zsh)
_pegboard() {
  local -a found
  found=(\${(f)"$(pegboard __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  # It quotes what it inserts.
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
compdef _pegboard pegboard
`;
const FISH = `# fish completion for pegboard: pegboard completion fish > ~/.config/fish/completions/pegboard.fish
function __pegboard_complete
  set -l words (commandline -opc) (commandline -ct)
  # fish quotes what it inserts.
  set -l found (pegboard __complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c pegboard -f -a '(__pegboard_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** @returns undefined for a shell that is not known */
export function completionScript(shell: string): string | undefined {
  return SCRIPTS[shell];
}
