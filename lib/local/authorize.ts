// What the embedded servers ask before they act for somebody, in the words of IAM.

export interface AccessRequest {
  /** Whose signature was found right. */
  readonly accessKeyId: string
  /** As `s3:GetObject`. */
  readonly action: string
  /** ARN of what it is done to. */
  readonly resource: string
  /** Condition keys of the request and their values, as `dynamodb:LeadingKeys`. */
  readonly conditionKeys?: Readonly<Record<string, readonly string[]>>
}

/** Whether it may be done. */
export type Authorize = (asked: AccessRequest) => boolean

/** Whoever has a key of this machine may do everything. */
export const allowAll: Authorize = () => true
