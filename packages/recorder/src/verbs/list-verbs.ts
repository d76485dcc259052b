// The verbs of `fairgate-recorder`. Each is loaded only when it is used.
import type { Verb } from './verb.ts'
import { verbHelp } from './verb-help.ts'

export const verbs: Readonly<Record<string, Verb>> = {
  join: {
    usage: 'join <address of the ticket> [--tools <a,b>|all]',
    summary: 'join your team with a ticket: key, log token, hooks and tools in one step',
    help: verbHelp.join,
    maxPositionals: 1,
    load: async () => (await import('./join.ts')).runJoin,
  },
  init: {
    usage:
      'init [--tools <a,b>|all] [--url <logbook> [--force]] [--token-stdin] [--subfolders] [--dry-run] [--yes]',
    summary: 'set up this repository: hooks of AI tools and git, log token',
    help: verbHelp.init,
    load: async () => (await import('./init.ts')).runInit,
  },
  connect: {
    usage: 'connect [--tools <a,b>|all] [--gateway <url>] [--model <name>] [--key-stdin] [--dry-run] [--yes]',
    summary: 'connect the AI tools to the gateway and check that it works',
    help: verbHelp.connect,
    load: async () => (await import('./connect.ts')).runConnect,
  },
  disconnect: {
    usage: 'disconnect [--dry-run] [--yes]',
    summary: "restore the AI tools' settings and remove the gateway key",
    help: verbHelp.disconnect,
    load: async () => (await import('./disconnect.ts')).runDisconnect,
  },
  run: {
    usage: 'run <program> [arguments]',
    summary: 'run a program with the gateway in its environment, such as copilot',
    help: verbHelp.run,
    maxPositionals: Number.POSITIVE_INFINITY,
    passesOn: true,
    load: async () => (await import('./run.ts')).runProgramVerb,
  },
  push: {
    usage: 'push',
    summary: 'send waiting entries as the pre-push hook: max 2 seconds, never fails',
    help: verbHelp.push,
    maxPositionals: Number.POSITIVE_INFINITY,
    load: async () => (await import('./push.ts')).runPush,
  },
  send: {
    usage: 'send [--watch [--every <seconds>]] [--retry-rejected]',
    summary: 'send waiting entries now; repeatedly with --watch',
    help: verbHelp.send,
    hidden: ['background'],
    load: async () => (await import('./send.ts')).runSend,
  },
  status: {
    usage: 'status',
    summary: 'show what each tool recorded and what was sent, refused or is waiting',
    help: verbHelp.status,
    load: async () => (await import('./status.ts')).runStatus,
  },
  verify: {
    usage: 'verify [--no-send | --force]',
    summary: 'compare sent entries with the logbook and resend missing ones',
    help: verbHelp.verify,
    load: async () => (await import('./verify.ts')).runVerify,
  },
  logs: {
    usage: 'logs [--limit <n>] [--before <time>] [--event <name>] [--tool <name>] [--session <id>] [--full]',
    summary: "show the team's entries by session and prompt",
    help: verbHelp.logs,
    load: async () => (await import('./logs.ts')).runLogs,
  },
  doctor: {
    usage: 'doctor [--test]',
    summary: 'check the installation; with --test run every hook once in a scratch folder',
    help: verbHelp.doctor,
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  uninstall: {
    usage: 'uninstall [--dry-run] [--purge [--force]] [--yes]',
    summary: 'remove all hooks in every work tree; with --purge also recorded entries',
    help: verbHelp.uninstall,
    load: async () => (await import('./uninstall.ts')).runUninstallVerb,
  },
}
