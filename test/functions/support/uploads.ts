export interface RefusedUpload {
  readonly code: string
  readonly message: string
  readonly details: { readonly field: string }
}

export const readErrorCode = async (response: Response) =>
  ((await response.json()) as { error?: { code: string } }).error?.code
