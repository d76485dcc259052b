// The verbs of `fairgate-recorder`. Each is loaded only when it is used.
import type { Verb } from './verb.ts'
import { verbHelp } from './verb-help.ts'

export const verbs: Readonly<Record<string, Verb>> = {
  join: {
    usage: 'join <address of the ticket> [--tools <a,b>|all]',
    summary: 'join your team with the ticket of its page: key, log token, hooks and connected tools in one',
    help: verbHelp.join,
    mostPositionals: 1,
    load: async () => (await import('./join.ts')).runJoin,
  },
  init: {
    usage:
      'init [--tools <a,b>|all] [--url <logbook> [--force]] [--token-stdin] [--subfolders] [--dry-run] [--yes]',
    summary: 'set up this repository: the hooks of the AI tools and of git, the log token',
    help: verbHelp.init,
    load: async () => (await import('./init.ts')).runInit,
  },
  connect: {
    usage: 'connect [--tools <a,b>|all] [--gateway <url>] [--model <name>] [--key-stdin] [--dry-run] [--yes]',
    summary: 'make the AI tools call models through the gateway, and prove that it works',
    help: verbHelp.connect,
    load: async () => (await import('./connect.ts')).runConnect,
  },
  disconnect: {
    usage: 'disconnect [--dry-run] [--yes]',
    summary: 'put the settings of the AI tools back, and forget the gateway key',
    help: verbHelp.disconnect,
    load: async () => (await import('./disconnect.ts')).runDisconnect,
  },
  run: {
    usage: 'run <program> [arguments]',
    summary: 'start a program with the gateway in its environment, such as copilot',
    help: verbHelp.run,
    mostPositionals: Number.POSITIVE_INFINITY,
    passesOn: true,
    load: async () => (await import('./run.ts')).runProgramVerb,
  },
  push: {
    usage: 'push',
    summary: 'send what waits, as the pre-push hook: at most 2 seconds, never fails',
    help: verbHelp.push,
    mostPositionals: Number.POSITIVE_INFINITY,
    load: async () => (await import('./push.ts')).runPush,
  },
  send: {
    usage: 'send [--watch [--every <seconds>]] [--retry-rejected]',
    summary: 'send what waits now; with --watch repeatedly',
    help: verbHelp.send,
    hidden: ['background'],
    load: async () => (await import('./send.ts')).runSend,
  },
  status: {
    usage: 'status',
    summary: 'what each tool has recorded, what waits, was sent or was refused',
    help: verbHelp.status,
    load: async () => (await import('./status.ts')).runStatus,
  },
  verify: {
    usage: 'verify [--no-send | --force]',
    summary: 'compare what was sent with the logbook, and send again what is missing',
    help: verbHelp.verify,
    load: async () => (await import('./verify.ts')).runVerify,
  },
  logs: {
    usage: 'logs [--limit <n>] [--before <time>] [--event <name>] [--tool <name>] [--session <id>] [--full]',
    summary: "read the team's entries back, by session and prompt",
    help: verbHelp.logs,
    load: async () => (await import('./logs.ts')).runLogs,
  },
  doctor: {
    usage: 'doctor [--test]',
    summary: 'check the installation; with --test run every hook once, into a scratch folder',
    help: verbHelp.doctor,
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  uninstall: {
    usage: 'uninstall [--dry-run] [--purge [--force]] [--yes]',
    summary: 'remove all hooks, in every work tree; with --purge also what was recorded here',
    help: verbHelp.uninstall,
    load: async () => (await import('./uninstall.ts')).runUninstallVerb,
  },
}
