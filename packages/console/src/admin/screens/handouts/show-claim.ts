// Formats a claim code for people, and turns its QR code into an image URL, so that no SVG markup enters the page.

/** `K7QM2XPD3A` → `K7QM2-XPD3A`: split in half, which is easier to read. */
export function showCode(code: string): string {
  const half = Math.ceil(code.length / 2)
  return `${code.slice(0, half)}-${code.slice(half)}`
}

/** The address without the code, for typing by hand. */
export function joinAddress(url: string, code: string): string {
  return url.endsWith(`/${code}`) ? url.slice(0, -code.length - 1) : url
}

/** An image runs no scripts and loads nothing, whatever it contains. */
export function addressOfQr(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}
