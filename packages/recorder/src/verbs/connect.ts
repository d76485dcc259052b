// `connect`: makes the AI tools of this repository call models through the gateway, and proves that calls and entries arrive.

import {
  type ConnectableTool,
  connectableTools,
  nameTool,
  unconnectableTools,
} from '@fairgate/contracts/agents/known-tools.ts'
import { keyPath, readGateway, saveGateway } from '../config/settings.ts'
import { applyConnection } from '../connect/connection-files.ts'
import { connections } from '../connect/connections.ts'
import { type ConnectionPlan, isWithin, planConnection } from '../connect/plan-connection.ts'
import type { Gateway } from '../connect/recipe.ts'
import { findRepository, type Repository } from '../git/find-repository.ts'
import { createIsShown, detectTools } from '../install/detect-tools.ts'
import { isChanged, type PlannedChange, type Refusal } from '../install/files/changes.ts'
import { writeDiff } from '../install/files/unified-diff.ts'
import { layOut, recorderFolder } from '../spool/layout.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { toolNames } from '../tools/tool.ts'
import { askGateway, chooseModel, findKnownUrl } from './ask-gateway.ts'
import { confirmChanges, describeRefusal, splitToolNames } from './change-files.ts'
import { describeLeftToDo, listLeftToDo } from './list-left-to-do.ts'
import { openRepository } from './open-repository.ts'
import {
  createTrial,
  describeCall,
  describeKey,
  judgeRecorder,
  type ProofLine,
  proveLog,
} from './prove-connection.ts'
import type { RunVerb, VerbContext } from './verb.ts'

export const runConnect: RunVerb = async (context, { flags }) => {
  const repository = findRepository(context.workingFolder, context.readText)
  if (repository === null) throw new UserFailure('This is not a git work tree. Go to your repository first.')
  const layout = layOut(recorderFolder(repository.commonFolder))
  const stored = readGateway({ files: context.files, layout })
  const choice = chooseTools(context, repository.root, flags.tools, stored?.tools ?? [])
  const runGit = await context.loadGit()
  const plan = (gateway: Gateway) =>
    planConnection(choice.chosen, gateway, {
      repository,
      runGit,
      files: context.workFiles,
      places: { ...context, root: repository.root, keyFile: keyPath(layout) },
    })
  if (flags['dry-run'] !== undefined) {
    const gateway = {
      url: findKnownUrl(context, flags.gateway, stored) ?? 'https://<gateway>',
      key: stored?.key ?? unknownKey,
      model: flags.model ?? stored?.model ?? '<model>',
    }
    const planned = plan(gateway)
    const diffs = listChanges(planned)
      .filter(isChanged)
      .map(({ path, before, after }) =>
        writeDiff(path, before, after).replaceAll(gateway.key, '<gateway key>'),
      )
    const refused = listRefusals(planned, choice.impossible)
    const lines = [
      ...refused.map(describeRefusal),
      ...(diffs.length === 0 ? ['files    nothing to change'] : []),
    ]
    context.print(
      flags.json === undefined
        ? `${diffs.join('')}${lines.map(line => `${line}\n`).join('')}`
        : `${JSON.stringify({ tools: choice.chosen, refused, diffs })}\n`,
    )
    return refused.length > 0 ? 1 : 0
  }

  const access = await askGateway(context, flags, stored)
  const trial = createTrial(context)
  const wish = { wished: flags.model, former: stored?.model ?? null }
  const { model, answer } = await chooseModel(access, wish, trial)
  const planned = plan({ url: access.url, key: access.key, model })
  const changes = listChanges(planned)
  const changed = changes.filter(isChanged).map(({ path }) => path)
  await confirmChanges(context, flags, 'These files will be changed', changed)
  const open = openRepository(context)
  const connected = planned.tools.filter(({ refused }) => refused.length === 0).map(({ tool }) => tool)
  saveGateway(open.spool, { url: access.url, key: access.key, model, tools: connected })
  const own = { files: context.workFiles, spool: open.spool, home: context.home }
  applyConnection(changes, path => isShared(path, repository), own)

  const lines = [
    describeKey(access.url, access.check),
    describeCall(model, answer),
    judgeRecorder(connected, open, context),
    await proveLog(trial, model, open, context),
  ]
  const report: ConnectReport = {
    tools: connected,
    gateway: access.url,
    model,
    changed,
    refused: listRefusals(planned, choice.impossible),
    notes: [...choice.notes, ...listNotes(connected)],
    warnings: [
      ...(access.warning === null ? [] : [access.warning]),
      ...planned.tracked.map(
        path => `${path} is under version control: review the change before you commit it`,
      ),
    ],
    lines,
    steps: await listLeftToDo(open, context),
  }
  context.print(flags.json === undefined ? describeReport(report) : `${JSON.stringify(report)}\n`)
  const hasFailed = report.refused.length > 0 || lines.some(({ state }) => state === 'failed')
  return hasFailed ? 1 : 0
}

/** Placeholder for the key, which a preview does not ask for. */
const unknownKey = 'key-that-is-asked-for-later'

export type ConnectReport = {
  readonly tools: readonly ConnectableTool[]
  readonly gateway: string
  readonly model: string
  readonly changed: readonly string[]
  readonly refused: readonly Refusal[]
  /** Notes about tools that cannot be connected or have no hooks. */
  readonly notes: readonly string[]
  readonly warnings: readonly string[]
  readonly lines: readonly ProofLine[]
  readonly steps: readonly string[]
}

type Choice = {
  readonly chosen: readonly ConnectableTool[]
  /** Named tools that cannot be connected. */
  readonly impossible: readonly string[]
  readonly notes: readonly string[]
}

/** `named` is the value of `--tools`. Tools that were connected before are chosen again. Throws UserFailure. */
function chooseTools(
  context: VerbContext,
  root: string,
  named: string | undefined,
  connected: readonly string[],
): Choice {
  if (named === 'all') return { chosen: connectableTools, impossible: [], notes: [] }
  const known = [...connectableTools, ...Object.keys(unconnectableTools)]
  if (named !== undefined) {
    const names = splitToolNames(named, known, connectableTools)
    return {
      chosen: connectableTools.filter(name => names.includes(name)),
      impossible: Object.keys(unconnectableTools).filter(name => names.includes(name)),
      notes: [],
    }
  }
  const { home, readText, environment, workFiles } = context
  const detection = { root, home, readText, environment, exists: workFiles.exists }
  const isShown = createIsShown(detection)
  const chosen = connectableTools.filter(name => connected.includes(name) || isShown(connections[name].signs))
  const found = detectTools(detection)
  const notes = Object.entries(unconnectableTools)
    .filter(([name]) => found.some(tool => tool === name))
    .map(([name, reason]) => `${name} ${reason}`)
  if (chosen.length === 0) {
    const others = notes.length === 0 ? '' : ` ${notes.join('; ')}.`
    throw new UserFailure(
      `Found no AI tool that can be connected.${others} Choose one with --tools: ${connectableTools.join(',')}, or all.`,
    )
  }
  return { chosen, impossible: [], notes }
}

function listChanges({ tools, exclude }: ConnectionPlan): PlannedChange[] {
  const changes = tools.flatMap(planned => planned.changes)
  // First, so that git can never pick up a file with a key.
  return exclude === null ? changes : [exclude, ...changes]
}

function listRefusals({ tools }: ConnectionPlan, impossible: readonly string[]): Refusal[] {
  const named = impossible.map(name => ({ path: name, reason: unconnectableTools[name] ?? '' }))
  return [...named, ...tools.flatMap(({ refused }) => refused)]
}

/** Returns true for files in the user's own settings, which all repositories share. */
export function isShared(path: string, { root, commonFolder }: Repository): boolean {
  return !isWithin(root, path) && !isWithin(commonFolder, path)
}

/** Lists shell variables that would override the settings files. */
export function listStronger(
  tool: ConnectableTool,
  { environment }: Pick<VerbContext, 'environment'>,
  gateway: Gateway,
): string[] {
  const wanted = new Map(Object.entries(connections[tool].variables(gateway)))
  return connections[tool].stronger
    .filter(
      name =>
        environment[name] !== undefined && environment[name] !== '' && environment[name] !== wanted.get(name),
    )
    .map(name => `${name} is set in your shell and overrides the settings of ${nameTool(tool)}: unset it`)
}

/** Notes of tools without hooks. No event shows that they were followed, so they cannot be steps left to do. */
function listNotes(connected: readonly ConnectableTool[]): string[] {
  const isRecorded = (tool: string) => toolNames.some(name => name === tool)
  return connected
    .filter(tool => !isRecorded(tool))
    .map(tool => connections[tool].note)
    .filter(note => note !== null)
}

const ticks: Readonly<Record<ProofLine['state'], string>> = { ok: '✓', warning: '!', failed: '✗' }

function describeReport(report: ConnectReport): string {
  const { tools, gateway, model, changed, refused, notes, warnings, lines, steps } = report
  const text = [
    `tools    ${tools.length === 0 ? 'none' : tools.join(', ')}`,
    `gateway  ${gateway}`,
    `model    ${model}`,
    ...(changed.length === 0 ? ['files    nothing to change'] : changed.map(path => `changed  ${path}`)),
    ...refused.map(describeRefusal),
    ...warnings.map(warning => `warning  ${warning}`),
    ...notes.map(note => `note     ${note}`),
    '',
    ...lines.map(({ name, state, detail }) => `${ticks[state]} ${name.padEnd(10)}  ${detail}`),
  ]
  return `${[...text, '', ...describeLeftToDo(steps)].join('\n')}\n`
}
