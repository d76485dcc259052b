// The script that `curl … | sh` runs: it says what it does, checks what it downloads, and changes nothing outside of two folders.

export type ScriptFacts = {
  /** The configured address of the logbook, without a slash at its end. */
  readonly publicUrl: string
  readonly version: string
  /** Of the program, in hexadecimal digits. */
  readonly sha256: string
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Everything stands in a function that is called at the end, so that a download that broke off does nothing. */
export function writeInstallScript({ publicUrl, version, sha256 }: ScriptFacts): string {
  return `#!/bin/sh
# Installs fairgate-recorder ${version} for you alone. Nothing runs as root. It does this:
#   1. looks for Node 18 or newer,
#   2. downloads one file and compares its SHA-256 with ${sha256},
#   3. puts it into ~/.local/share/fairgate-recorder, and a command "fairgate-recorder" into ~/.local/bin.
# To undo it, remove the two.
set -eu

main() {
  url=${quote(publicUrl)}
  program=fairgate-recorder.cjs
  folder="$HOME/.local/share/fairgate-recorder"
  commands="$HOME/.local/bin"

  if ! command -v node >/dev/null 2>&1 || ! node -e 'process.exit(parseInt(process.versions.node, 10) < 18 ? 1 : 0)'; then
    echo "fairgate-recorder needs Node 18 or newer (https://nodejs.org). Install it, then run this again." >&2
    exit 1
  fi

  echo "Downloading $url/recorder/$program"
  mkdir -p "$folder" "$commands"
  part="$folder/.$program.$$"
  trap 'rm -f "$part"' EXIT
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL -o "$part" "$url/recorder/$program"
  else
    wget -qO "$part" "$url/recorder/$program"
  fi

  found=$(node -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$part")
  if [ "$found" != ${sha256} ]; then
    echo "The downloaded file is not what it should be (SHA-256 $found). Nothing was installed." >&2
    exit 1
  fi
  chmod 755 "$part"
  mv "$part" "$folder/$program"

  printf '#!/bin/sh\\nexec node "$HOME/.local/share/fairgate-recorder/%s" "$@"\\n' "$program" > "$commands/.fairgate-recorder.$$"
  chmod 755 "$commands/.fairgate-recorder.$$"
  mv "$commands/.fairgate-recorder.$$" "$commands/fairgate-recorder"
  echo "Installed fairgate-recorder ${version}:"
  echo "  $folder/$program"
  echo "  $commands/fairgate-recorder"

  command=fairgate-recorder
  case ":$PATH:" in
    *":$commands:"*) ;;
    *)
      command="$commands/fairgate-recorder"
      echo "$commands is not in your PATH; add it, or use the whole path."
      ;;
  esac
  echo
  echo "Next, in each repository of your team, with the log token at hand:"
  echo "  $command init --url $url"
}

main
`
}

/** The same for Windows. */
export function writePowershellScript({ publicUrl, version, sha256 }: ScriptFacts): string {
  return `# Installs fairgate-recorder ${version} for you alone. It does this:
#   1. looks for Node 18 or newer,
#   2. downloads one file and compares its SHA-256 with ${sha256},
#   3. puts it into %LOCALAPPDATA%\\fairgate-recorder, with a command "fairgate-recorder.cmd" beside it, and that folder into your PATH.
# To undo it, remove the folder.
& {
  $ErrorActionPreference = 'Stop'
  $url = '${publicUrl.replaceAll("'", "''")}'
  $folder = Join-Path $env:LOCALAPPDATA 'fairgate-recorder'
  $program = Join-Path $folder 'fairgate-recorder.cjs'

  if (-not (Get-Command node -ErrorAction SilentlyContinue) -or [int]((node --version) -replace '^v(\\d+).*', '$1') -lt 18) {
    throw 'fairgate-recorder needs Node 18 or newer (https://nodejs.org). Install it, then run this again.'
  }

  Write-Host "Downloading $url/recorder/fairgate-recorder.cjs"
  New-Item -ItemType Directory -Force $folder | Out-Null
  $part = "$program.part"
  Invoke-WebRequest -UseBasicParsing -Uri "$url/recorder/fairgate-recorder.cjs" -OutFile $part
  if ((Get-FileHash -Algorithm SHA256 $part).Hash -ne '${sha256}') {
    Remove-Item $part
    throw 'The downloaded file is not what it should be. Nothing was installed.'
  }
  Move-Item -Force $part $program
  Set-Content -Encoding ascii (Join-Path $folder 'fairgate-recorder.cmd') '@node "%~dp0fairgate-recorder.cjs" %*'

  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $folder) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$folder", 'User')
    Write-Host "$folder was added to your PATH; open a new terminal."
  }
  Write-Host "Installed $program"
  Write-Host 'Next, in each repository of your team, with the log token at hand:'
  Write-Host "  fairgate-recorder init --url $url"
}
`
}
