// The authorization check of the embedded servers, in terms of IAM.

export interface AccessRequest {
  /** Access key whose signature was verified. */
  readonly accessKeyId: string
  /** IAM action, for example `s3:GetObject`. */
  readonly action: string
  /** ARN of the resource that is accessed. */
  readonly resource: string
  /** Condition keys of the request, for example `dynamodb:LeadingKeys`, and their values. */
  readonly conditionKeys?: Readonly<Record<string, readonly string[]>>
}

/** Returns true if the request is allowed. */
export type Authorize = (request: AccessRequest) => boolean

/** Allows every access key of this machine to do everything. */
export const allowAll: Authorize = () => true
