// Globals for functions that run in the browser. The server's sources are checked without browser types, because their `fetch` differs.

type BrowserElement = {
  readonly textContent: string | null
  readonly innerText: string
  readonly scrollWidth: number
  readonly clientWidth: number
  readonly children: ArrayLike<BrowserElement>
  getBoundingClientRect(): object
  value: string
  getAttribute(name: string): string | null
  querySelector(selector: string): BrowserElement | null
  querySelectorAll(selector: string): ArrayLike<BrowserElement> & Iterable<BrowserElement>
  readonly scrollHeight: number
  scrollTo(options: { readonly top: number }): void
  scrollBy(x: number, y: number): void
  readonly scrollTop: number
  focus(): void
  click(): void
}

declare const document: BrowserElement & {
  readonly title: string
  /** Null for a moment while one page takes the place of another. */
  readonly body: BrowserElement | null
  readonly documentElement: BrowserElement
  readonly activeElement: BrowserElement | null
  readonly scrollingElement: BrowserElement | null
  getAnimations(): { readonly finished: Promise<unknown> }[]
}
declare function requestAnimationFrame(run: (at: number) => void): number
declare const location: { readonly href: string; readonly pathname: string; readonly search: string }
declare const innerWidth: number
