// The script that `curl … | sh` runs: it explains what it does, checks what it downloads, and changes nothing outside two folders.

export type ScriptFacts = {
  /** The configured address of the logbook, without a trailing slash. */
  readonly publicUrl: string
  /** The configured address of the gateway, likewise. */
  readonly gatewayUrl: string
  readonly version: string
  /** SHA-256 of the program, in hexadecimal digits. */
  readonly sha256: string
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Everything is in a function that is called at the end, so that an incomplete download does nothing. */
export function writeInstallScript({ publicUrl, gatewayUrl, version, sha256 }: ScriptFacts): string {
  return `#!/bin/sh
# Installs fairgate-recorder ${version} for you alone. Nothing runs as root. It does this:
#   1. downloads the program that needs no Node, if this logbook has one for your platform, compares its SHA-256 with the list
#      $url/recorder/programs.txt, and checks that it runs here;
#   2. otherwise looks for Node 18 or newer, downloads the script for it and compares its SHA-256 with
#      ${sha256},
#   3. installs it in ~/.local/share/fairgate-recorder and adds the command "fairgate-recorder" to ~/.local/bin.
# Set FAIRGATE_RECORDER=script to always install the script for Node. To uninstall, remove the folder and the command.
set -eu

main() {
  url=${quote(publicUrl)}
  gateway=${quote(gatewayUrl)}
  folder="$HOME/.local/share/fairgate-recorder"
  commands="$HOME/.local/bin"
  program="$folder/fairgate-recorder"
  script="$folder/fairgate-recorder.cjs"
  part="$folder/.part.$$"
  trap 'rm -f "$part" "$part.gz" "$part.txt"' EXIT

  mkdir -p "$folder" "$commands"
  if take_program; then
    # Repositories that were set up with the script keep using it, so keep it up to date.
    if [ -f "$script" ] && has_node; then take_script; fi
    start='exec "$HOME/.local/share/fairgate-recorder/fairgate-recorder" "$@"'
    installed="$program"
  else
    if ! has_node; then
      echo "fairgate-recorder needs Node 18 or newer (https://nodejs.org) on this platform. Install it, then run this again." >&2
      exit 1
    fi
    take_script
    rm -f "$program"
    start='exec node "$HOME/.local/share/fairgate-recorder/fairgate-recorder.cjs" "$@"'
    installed="$script"
  fi

  printf '#!/bin/sh\\n%s\\n' "$start" > "$commands/.fairgate-recorder.$$"
  chmod 755 "$commands/.fairgate-recorder.$$"
  mv "$commands/.fairgate-recorder.$$" "$commands/fairgate-recorder"
  # The command of a claim link continues by itself and prints the remaining steps at its end.
  if [ "\${FAIRGATE_NEXT:-}" = no ]; then
    echo "Installed fairgate-recorder ${version}."
    return
  fi
  echo "Installed fairgate-recorder ${version}:"
  echo "  $installed"
  echo "  $commands/fairgate-recorder"

  command=fairgate-recorder
  case ":$PATH:" in
    *":$commands:"*) ;;
    *)
      command="$commands/fairgate-recorder"
      echo "$commands is not in your PATH; add it, or use the full path."
      ;;
  esac
  echo
  echo "Next, in each repository of your team, with the log token and the gateway key ready:"
  echo "  $command init --url $url"
  echo "  $command connect --gateway $gateway"
}

# Returns 1 if there is none for this platform or it does not run.
take_program() {
  [ "\${FAIRGATE_RECORDER:-}" != script ] || return 1
  command -v gzip >/dev/null 2>&1 || return 1
  platform=$(name_platform) || return 1
  download "$url/recorder/programs.txt" "$part.txt" 2>/dev/null || return 1
  line=$(grep "^$platform " "$part.txt") || return 1
  expected=$(echo "$line" | cut -d ' ' -f 2)
  name=$(echo "$line" | cut -d ' ' -f 4)
  echo "Downloading $url/recorder/$name"
  download "$url/recorder/$name" "$part.gz" || return 1
  gzip -dc "$part.gz" > "$part" || return 1
  found=$(digest "$part") || return 1
  if [ "$found" != "$expected" ]; then refuse; fi
  chmod 755 "$part"
  # Fails with another C library or an older processor; the script is used then.
  if [ "$("$part" --version 2>/dev/null)" != ${quote(version)} ]; then
    echo "It does not run on this machine; using the script for Node instead."
    return 1
  fi
  mv "$part" "$program"
}

take_script() {
  echo "Downloading $url/recorder/fairgate-recorder.cjs"
  download "$url/recorder/fairgate-recorder.cjs" "$part"
  found=$(digest "$part")
  if [ "$found" != ${sha256} ]; then refuse; fi
  chmod 755 "$part"
  mv "$part" "$script"
}

refuse() {
  echo "The downloaded file has the wrong checksum (SHA-256 $found). Nothing was installed." >&2
  exit 1
}

has_node() {
  command -v node >/dev/null 2>&1 && node -e 'process.exit(parseInt(process.versions.node, 10) < 18 ? 1 : 0)'
}

name_platform() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) return 1 ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) return 1 ;;
  esac
  # Alpine has another C library.
  if [ $system = linux ] && ldd --version 2>&1 | grep -qi musl; then machine=$machine-musl; fi
  echo "$system-$machine"
}

download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL -o "$2" "$1"
  else
    wget -qO "$2" "$1"
  fi
}

digest() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    node -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$1"
  fi
}

main
`
}

/** The same for Windows. */
export function writePowershellScript({ publicUrl, gatewayUrl, version, sha256 }: ScriptFacts): string {
  return `# Installs fairgate-recorder ${version} for you alone. It does this:
#   1. looks for Node 18 or newer,
#   2. downloads one file and compares its SHA-256 with ${sha256},
#   3. installs it in %LOCALAPPDATA%\\fairgate-recorder with the command "fairgate-recorder.cmd", and adds that folder to your PATH.
# To uninstall, remove the folder.
& {
  $ErrorActionPreference = 'Stop'
  $url = '${publicUrl.replaceAll("'", "''")}'
  $gateway = '${gatewayUrl.replaceAll("'", "''")}'
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
    throw 'The downloaded file has the wrong checksum. Nothing was installed.'
  }
  Move-Item -Force $part $program
  Set-Content -Encoding ascii (Join-Path $folder 'fairgate-recorder.cmd') '@node "%~dp0fairgate-recorder.cjs" %*'

  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $folder) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$folder", 'User')
    Write-Host "$folder was added to your PATH; open a new terminal."
  }
  Write-Host "Installed $program"
  # The command of a claim link continues by itself.
  if ($env:FAIRGATE_NEXT -ne 'no') {
    Write-Host 'Next, in each repository of your team, with the log token and the gateway key ready:'
    Write-Host "  fairgate-recorder init --url $url"
    Write-Host "  fairgate-recorder connect --gateway $gateway"
  }
}
`
}
