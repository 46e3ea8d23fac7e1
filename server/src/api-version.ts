/** The version of the public contract: `info.version` of the OpenAPI document and `version` of `GET {base_url}`. */
export const API_VERSION = "1.2.0";
