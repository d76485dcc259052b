// AI tools known to Fairgate, in the order in which pages and commands list them, with whether each can be connected and recorded.

export type KnownTool = {
  readonly id: string
  /** Spelled as its maker spells it. */
  readonly title: string
  /** true if `fairgate-recorder connect` sets it up; otherwise the reason why not, as the end of a sentence. */
  readonly connects: true | string
  /** true if hooks record its work. */
  readonly isRecorded: boolean
}

export const knownTools = [
  { id: 'claude', title: 'Claude Code', connects: true, isRecorded: true },
  { id: 'codex', title: 'Codex', connects: true, isRecorded: true },
  { id: 'gemini', title: 'Gemini CLI', connects: true, isRecorded: true },
  { id: 'copilot', title: 'Copilot CLI', connects: true, isRecorded: true },
  { id: 'opencode', title: 'opencode', connects: true, isRecorded: false },
  { id: 'qwen', title: 'Qwen Code', connects: true, isRecorded: false },
  { id: 'pi', title: 'pi', connects: true, isRecorded: false },
  {
    id: 'cursor',
    title: 'Cursor',
    connects: "cannot be connected: it calls models only through its maker's servers",
    isRecorded: true,
  },
  {
    id: 'antigravity',
    title: 'Antigravity',
    connects: 'cannot be connected: it has no setting for the address of the models',
    isRecorded: true,
  },
] as const satisfies readonly KnownTool[]

/** Tools that can send their calls through the gateway. */
export type ConnectableTool = Extract<(typeof knownTools)[number], { readonly connects: true }>['id']

export const connectableTools: readonly ConnectableTool[] = knownTools.flatMap(tool =>
  tool.connects === true ? [tool.id] : [],
)

/** Tool → reason why it cannot be connected, as the end of a sentence. */
export const unconnectableTools: Readonly<Record<string, string>> = Object.fromEntries(
  knownTools.flatMap(({ id, connects }) => (connects === true ? [] : [[id, connects]])),
)

const titles = new Map<string, string>(knownTools.map(({ id, title }) => [id, title]))

/** Returns the name as its maker spells it, or the id itself for an unknown tool. */
export function nameTool(id: string): string {
  return titles.get(id) ?? id
}
