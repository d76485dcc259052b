// A claim code as people read it, and its QR code as an image that needs no markup in the page.

/** `K7QM2XPD3A` → `K7QM2-XPD3A`: people read half of it at a time. */
export function showCode(code: string): string {
  const half = Math.ceil(code.length / 2)
  return `${code.slice(0, half)}-${code.slice(half)}`
}

/** Without its code: what people type by hand. */
export function joinAddress(url: string, code: string): string {
  return url.endsWith(`/${code}`) ? url.slice(0, -code.length - 1) : url
}

/** An image runs no scripts and loads nothing, whatever stands in it. */
export function addressOfQr(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}
