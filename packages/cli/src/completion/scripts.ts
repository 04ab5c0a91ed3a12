export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * A script for each shell. It asks the command itself what can follow, so it stays right when commands are added. When
 * nothing is suggested, the shell completes the names of files.
 */
export const SCRIPTS: Record<Shell, string> = {
  bash: `# Completion of muster for bash.
_muster() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(muster completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _muster muster`,

  zsh: `#compdef muster
# Completion of muster for zsh.
_muster() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(muster completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'muster' found; else _files; fi
}
if [ "$funcstack[1]" = "_muster" ]; then _muster "$@"; else compdef _muster muster; fi`,

  fish: `# Completion of muster for fish.
function __muster_suggest
  set -l before (commandline -opc)
  set -e before[1]
  set -l typed (commandline -ct)
  muster completion suggest -- $before "$typed" 2>/dev/null
end
complete -c muster -a '(__muster_suggest)'`,
};
