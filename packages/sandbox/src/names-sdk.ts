// Whether a request names itself as one of the vendor's own SDKs: their models take the vendor's spelling alone.

/** By the header that all of them send, or by their user agent: `google-genai-sdk/3.4.0 gl-python/3.11`. */
export function namesSdk(headers: Headers): boolean {
  const name = headers.get('x-goog-api-client')?.trim() ?? ''
  return name !== '' || /(?:^|\s)(?:google-gen[\w-]*|genai-[\w-]+)\//i.test(headers.get('user-agent') ?? '')
}
