// Writes the scripts that `curl … | sh` and `irm … | iex` run: they install the recorder from the logbook, which then uses the ticket.

export type JoinScriptFacts = {
  /** The ticket's URL, to which the recorder posts. */
  readonly ticketUrl: string
  readonly logbookUrl: string
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const quotePowershell = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Everything is in a function that is called at the end, so that an incomplete download does nothing. */
export function writeJoinScript({ ticketUrl, logbookUrl }: JoinScriptFacts): string {
  return `#!/bin/sh
# Joins your team from this repository. It does this:
#   1. installs fairgate-recorder for you alone, as ${logbookUrl}/recorder/install.sh says;
#   2. lets it make your key and log token with the ticket of this line, and keep them in the git folder of this repository;
#   3. lets it add hooks to the AI tools that are used here, and connect them to the gateway.
# "fairgate-recorder uninstall" and "fairgate-recorder disconnect" undo it.
set -eu

main() {
  if ! git rev-parse --show-toplevel >/dev/null 2>&1; then
    echo "This is not a git repository. Go to your team repository (cd …) and paste the line again. Nothing was changed." >&2
    exit 1
  fi
  script=$(mktemp)
  trap 'rm -f "$script"' EXIT
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL -o "$script" ${quote(`${logbookUrl}/recorder/install.sh`)}
  else
    wget -qO "$script" ${quote(`${logbookUrl}/recorder/install.sh`)}
  fi
  FAIRGATE_NEXT=no sh "$script"
  "$HOME/.local/bin/fairgate-recorder" join ${quote(ticketUrl)} "$@"
}

main "$@"
`
}

/** The same for Windows. */
export function writeJoinPowershell({ ticketUrl, logbookUrl }: JoinScriptFacts): string {
  return `# Joins your team from this repository: installs fairgate-recorder for you alone, as ${logbookUrl}/recorder/install.ps1 says, and lets it
# make your key and log token, add its hooks and connect your AI tools to the gateway. "fairgate-recorder uninstall" undoes it.
& {
  $ErrorActionPreference = 'Stop'
  git rev-parse --show-toplevel 2>$null | Out-Null
  if ($LASTEXITCODE -ne 0) {
    throw 'This is not a git repository. Go to your team repository (cd ...) and paste the line again. Nothing was changed.'
  }
  $env:FAIRGATE_NEXT = 'no'
  Invoke-RestMethod ${quotePowershell(`${logbookUrl}/recorder/install.ps1`)} | Invoke-Expression
  & (Join-Path $env:LOCALAPPDATA 'fairgate-recorder\\fairgate-recorder.cmd') join ${quotePowershell(ticketUrl)}
}
`
}

/** For an invalid ticket: curl -f would hide the text of an error, so the script itself prints it. */
export function writeRefusingScript(message: string): string {
  return `#!/bin/sh
echo ${quote(message)} >&2
exit 1
`
}

export function writeRefusingPowershell(message: string): string {
  return `throw ${quotePowershell(message)}
`
}
