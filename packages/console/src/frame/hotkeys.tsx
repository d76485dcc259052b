// Keyboard shortcuts of the current page. One table serves the handlers and the list behind `?`, so that the list is always correct.
import { Kbd } from '@mantine/core'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Dialog } from '../show/dialog.tsx'

export type Hotkey = {
  /** `j`, `Escape`, `mod+k`, two keys one after the other: `g t`, or any digit of a range: `0-5`. */
  readonly keys: string
  readonly does: string
  /** Gets what was pressed. */
  readonly run: (pressed: string) => void
}

type Registry = {
  readonly add: (keys: readonly Hotkey[]) => () => void
  readonly showHelp: () => void
}

const HotkeysContext = createContext<Registry | null>(null)

/** The second of two keys must follow within this time. */
const sequenceMs = 1200
const switchKey = 'fairgate-single-keys'

export function areSingleKeysOn(): boolean {
  return localStorage.getItem(switchKey) !== 'off'
}

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(switchKey, isOn ? 'on' : 'off')
}

export function HotkeysProvider({ children }: { readonly children: ReactNode }) {
  const groups = useRef(new Set<readonly Hotkey[]>())
  const [isHelpShown, setHelpShown] = useState(false)
  const showHelp = useCallback(() => setHelpShown(true), [])
  const registry = useMemo<Registry>(
    () => ({
      add: keys => {
        groups.current.add(keys)
        return () => groups.current.delete(keys)
      },
      showHelp,
    }),
    [showHelp],
  )
  useEffect(() => {
    let first: string | null = null
    let timer: ReturnType<typeof setTimeout> | null = null
    const forget = () => {
      first = null
      if (timer !== null) clearTimeout(timer)
    }
    const listen = (event: KeyboardEvent) => {
      const name = nameKey(event)
      if (name === null) return
      const isMod = name.startsWith('mod+')
      if (!isMod && (isTyping(event.target) || isDialogOpen() || !areSingleKeysOn())) return
      if (name === '?') {
        event.preventDefault()
        showHelp()
        return
      }
      const all = [...groups.current].flat().reverse()
      const wanted = first === null ? name : `${first} ${name}`
      const found = all.find(({ keys }) => isMeant(keys, wanted))
      if (found !== undefined) {
        forget()
        event.preventDefault()
        found.run(wanted)
        return
      }
      forget()
      if (all.some(({ keys }) => keys.startsWith(`${name} `))) {
        first = name
        timer = setTimeout(forget, sequenceMs)
      }
    }
    document.addEventListener('keydown', listen)
    return () => {
      forget()
      document.removeEventListener('keydown', listen)
    }
  }, [showHelp])
  return (
    <HotkeysContext.Provider value={registry}>
      {children}
      {isHelpShown ? <KeyHelp keys={[...groups.current].flat()} onClose={() => setHelpShown(false)} /> : null}
    </HotkeysContext.Provider>
  )
}

/** Registers keys while the component is mounted. */
export function useHotkeys(keys: readonly Hotkey[]): void {
  const registry = useContext(HotkeysContext)
  const latest = useRef(keys)
  latest.current = keys
  const names = keys.map(({ keys: name }) => name).join(',')
  // biome-ignore lint/correctness/useExhaustiveDependencies: handlers are looked up when a key is pressed, so only the names matter.
  useEffect(
    () =>
      registry?.add(
        latest.current.map(({ keys: name, does }, index) => ({
          keys: name,
          does,
          run: (pressed: string) => latest.current[index]?.run(pressed),
        })),
      ),
    [registry, names],
  )
}

/** Returns a function that shows the list of current shortcuts. */
export function useKeyHelp(): () => void {
  const registry = useContext(HotkeysContext)
  return () => registry?.showHelp()
}

function KeyHelp({ keys, onClose }: { readonly keys: readonly Hotkey[]; readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <table className="table">
        <tbody>
          {[...keys, { keys: '?', does: 'Show this list', run: () => undefined }].map(
            ({ keys: name, does }) => (
              <tr key={`${name} ${does}`}>
                <th scope="row">
                  {name.split(' ').map(part => (
                    <Kbd key={part} mr={4}>
                      {showKey(part)}
                    </Kbd>
                  ))}
                </th>
                <td>{does}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      <p className="small muted">
        Single-key shortcuts are off while a text field has focus. You can turn them off in Settings.
      </p>
    </Dialog>
  )
}

const digitRange = /^\d-\d$/

function isMeant(keys: string, pressed: string): boolean {
  if (!digitRange.test(keys)) return keys === pressed
  const [from = '', until = ''] = keys.split('-')
  return pressed.length === 1 && from <= pressed && pressed <= until
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** As on the keyboard of the reader. */
export function showKey(key: string): string {
  return key
    .replace('mod+', isApple ? '⌘ ' : 'Ctrl ')
    .replace('enter', '↵')
    .replace('ArrowUp', '↑')
    .replace('ArrowDown', '↓')
    .replace('ArrowLeft', '←')
    .replace('ArrowRight', '→')
    .replace(digitRange, keys => keys.replace('-', ' … '))
}

function nameKey({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string | null {
  if (altKey || key === 'Shift' || key === 'Control' || key === 'Meta') return null
  return metaKey || ctrlKey ? `mod+${key.toLowerCase()}` : key
}

/** Radio buttons take no text. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=radio]), textarea, select, [contenteditable]') !== null
  )
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null
}
