/** What stands before the endpoints of the public document. */
export const publicIntroduction = `Push leads in, run campaigns and voice agents, and receive signed events.
A guide from the first lead to the first verified webhook is at <http://localhost:8080/getting-started.md>.

## Authentication

Send the API key as \`Authorization: Bearer <API_KEY>\`, or as \`X-Service-Api-Key: <API_KEY>\` where \`Authorization\` can't be set.
The key decides the organization: there is no \`organization_id\` parameter anywhere. Keys that begin with \`service_test_\` belong to a
sandbox organization. A key has scopes, and each operation names the one it needs in \`x-required-scope\`.

## Requests and answers

JSON in, JSON out, but for the CSV export and audio. A body may have the fields listed and no other: any other key answers
\`400 unknown_field:<name>\` and nothing is written. Timestamps are ISO 8601 in UTC, phone numbers E.164.
Every answer carries \`X-Request-Id\`. The same paths answer under \`/public/v1\`.

## Lists

Lists take \`limit\` (1 to 200, default 50; larger values are taken as 200) and \`offset\`, and answer \`{ data, limit, offset }\`, newest
first. There is no total: page until \`data\` is shorter than \`limit\`.

## Errors

Every answer that isn't a success has the \`Error\` shape. Match on \`error\`, up to a colon if there is one. Each operation lists the
codes it can answer by status, also as \`x-error-codes\`. An unknown path answers \`404 not_found\` with \`docs\`.

## Idempotency

Where an operation takes an \`Idempotency-Key\`, the same key with the same body gets the first answer again for 24 hours, marked
\`Idempotency-Replayed: true\`. The same key with another body answers \`422 idempotency_key_reused\`; while the first request is still
running, \`409 idempotency_in_progress\`. Answers of 500 and above, and 429, are not remembered.

## Rate limits

A token bucket per key: 60 requests a minute by default, with a burst of the same size. \`X-RateLimit-Limit\` and
\`X-RateLimit-Remaining\` stand on every authenticated answer; a 429 says in \`Retry-After\` how long to wait.

## Versions

\`/v1\` stays compatible: fields, endpoints, event types and values of open sets may be added, so ignore what you don't know.

## Extensions

Schemas carry what the validator goes by: \`x-error\` is the code when a value breaks its schema (or one code for each keyword, and
\`default\` for the others) and \`x-error-required\` when it is missing (otherwise \`invalid_request\`), \`x-unknown-error\` the code for a key that an object doesn't have, \`x-immutable\` the fields that
are refused with a code of their own, and \`x-clamp\` the value that larger ones are taken as.
`;

/** What stands before the endpoints of the private document. */
export const privateIntroduction = `What operators, the command line and the console use. It is served on the private port only and is
not part of the versioned public contract.

Send the operator token as \`Authorization: Bearer <token>\`; it is in \`admin.token\` in \`DATA_DIR\`. What a client calls itself in
\`X-Outreach-Actor\` stands in the audit log. Errors, lists, request ids and the rules for bodies are those of the public API.
`;
