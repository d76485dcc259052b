// One part of a turn as the vendor takes it.

export type Part =
  | { readonly text: string; readonly thoughtSignature?: string }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | {
      readonly functionCall: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
      readonly thoughtSignature?: string
    }
  | {
      readonly functionResponse: {
        readonly name: string
        readonly response: Readonly<Record<string, unknown>>
      }
    }
