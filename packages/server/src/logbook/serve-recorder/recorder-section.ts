// The recorder section of the logbook's reference page: how to install it, and the downloads.

import type { ReadSections } from '../../http/docs-page.ts'
import { html, renderTable } from '../../http/html.ts'

/** `publicUrl`: the logbook's address, without a trailing slash. */
export function createRecorderSection(publicUrl: string): ReadSections {
  const sections = [
    {
      id: 'recorder',
      title: 'Recorder',
      content: html`<p>The recorder writes the entries for you: it records how your team works with Claude Code, Cursor, Codex, Gemini CLI, Copilot CLI and
Antigravity, and sends that to this logbook with every <code>git push</code>. It needs Node 18 or newer, or nothing if this logbook has a
program for your platform. Install it once on each machine:</p>
<pre><code>curl -fsSL ${publicUrl}/recorder/install.sh | sh</code></pre>
<p>Then set it up in each repository, with your team's log token ready:</p>
<pre><code>fairgate-recorder init --url ${publicUrl}
fairgate-recorder status</code></pre>
${renderTable(
  'Downloads (no token needed)',
  ['Address', 'What it is'],
  downloads.map(([path, text]) => [
    html`<a href="${publicUrl}${path}"><code>${path}</code></a>`,
    html`${text}`,
  ]),
)}`,
    },
  ]
  return () => sections
}

const downloads = [
  ['/recorder', 'Installation, step by step, with the SHA-256'],
  ['/recorder/install.sh', 'Install script for Linux and macOS; it shows what it does'],
  ['/recorder/install.ps1', 'Install script for PowerShell on Windows: irm … | iex'],
  ['/recorder/fairgate-recorder.tgz', 'The npm package: npm install -g …'],
  ['/recorder/fairgate-recorder.cjs', 'The recorder as one file for Node'],
  ['/recorder/programs.txt', 'Programs that need no Node: platform, SHA-256, size and file of each'],
] as const
