// What the embedded servers ask before they act for somebody, in the words of IAM.

export interface Asked {
  /** Whose signature was found right. */
  readonly accessKeyId: string
  /** As `s3:GetObject`. */
  readonly action: string
  /** ARN of what it is done to. */
  readonly resource: string
  /** Condition keys of the request and their values, as `dynamodb:LeadingKeys`. */
  readonly facts?: Readonly<Record<string, readonly string[]>>
}

/** Whether it may be done. */
export type May = (asked: Asked) => boolean

/** Whoever has a key of this machine may do everything. */
export const everything: May = () => true
