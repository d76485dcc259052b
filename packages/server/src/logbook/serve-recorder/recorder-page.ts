// The page that tells a participant how to install the recorder.
import { html } from '../../http/html.ts'

export function renderRecorderPage(publicUrl: string, version: string, sha256: string): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fairgate-recorder</title>
<link rel="stylesheet" href="docs/docs.css">
</head>
<body>
<header>
<h1>fairgate-recorder ${version}</h1>
<p>Records how your team works with AI tools (Claude Code, Cursor, Codex, Gemini CLI, Copilot CLI, Antigravity) and sends it to this
logbook with every push. It needs Node 18 or newer, or nothing where this logbook has a program for your platform.</p>
</header>
<nav aria-label="Contents"><strong><a href="#install">Install</a></strong><strong><a href="#use">Set up a repository</a></strong>
<strong><a href="docs">Reference of the logbook</a></strong></nav>
<main>
<h2 id="install">Install</h2>
<p>Linux and macOS; the script takes the program for your platform, or the script for Node where there is none
(<a href="recorder/programs.txt">which there are</a>), and shows what it does (<a href="recorder/install.sh">read it first</a>):</p>
<pre><code>curl -fsSL ${publicUrl}/recorder/install.sh | sh</code></pre>
<p>Windows, in PowerShell (<a href="recorder/install.ps1">read it first</a>):</p>
<pre><code>irm ${publicUrl}/recorder/install.ps1 | iex</code></pre>
<p>Or by npm:</p>
<pre><code>npm install -g ${publicUrl}/recorder/fairgate-recorder.tgz</code></pre>
<p>Or as <a href="recorder/fairgate-recorder.cjs">one file</a>, SHA-256 <code>${sha256}</code>.</p>
<h2 id="use">Set up a repository</h2>
<p>Once in each repository, with your team's log token at hand; it asks for the token and prints what remains for you:</p>
<pre><code>fairgate-recorder init --url ${publicUrl}
fairgate-recorder doctor --test
fairgate-recorder status</code></pre>
<p><code>fairgate-recorder uninstall</code> takes everything out again.</p>
</main>
</body>
</html>`
  return page.markup
}
