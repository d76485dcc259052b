// A file over HTTP, whole or the range that was asked for.

export function sendBytes(bytes: Uint8Array<ArrayBuffer>, type: string, range: string | null): Response {
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' }
  const wanted = range === null ? null : /^bytes=(\d*)-(\d*)$/.exec(range)
  // Anything but one plain range is answered as if there was none, which the standard allows.
  if (wanted === null || (wanted[1] === '' && wanted[2] === '')) return new Response(bytes, { headers })
  const [, from = '', to = ''] = wanted
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1)
  if (start >= bytes.length || start > end) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } })
  }
  return new Response(bytes.subarray(start, end + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  })
}
