// The AI tools that Fairgate knows, in the order in which pages and commands list them: which can be connected to the gateway, and which are recorded.

export type KnownTool = {
  readonly id: string
  /** As its maker writes it. */
  readonly title: string
  /** True: `fairgate-recorder connect` sets it up. Otherwise why not, as the end of a sentence. */
  readonly connects: true | string
  /** Whether hooks record its work. */
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

/** The tools whose calls can go through the gateway. */
export type ConnectableTool = Extract<(typeof knownTools)[number], { readonly connects: true }>['id']

export const connectableTools: readonly ConnectableTool[] = knownTools.flatMap(tool =>
  tool.connects === true ? [tool.id] : [],
)

/** Tool → why it cannot be connected, as the end of a sentence. */
export const unconnectableTools: Readonly<Record<string, string>> = Object.fromEntries(
  knownTools.flatMap(({ id, connects }) => (connects === true ? [] : [[id, connects]])),
)

const titles = new Map<string, string>(knownTools.map(({ id, title }) => [id, title]))

/** As its maker writes it; the id itself for a tool that is not known. */
export function nameTool(id: string): string {
  return titles.get(id) ?? id
}
