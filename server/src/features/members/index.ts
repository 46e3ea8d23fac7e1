export { addMember, type MembersDeps } from "./add-member.ts";
export { changeMember } from "./change-member.ts";
export { listMembers } from "./list-members.ts";
export { Member, MemberAdd, MemberListQuery, MemberPage, MemberPatch } from "./members.schema.ts";
export { removeMember } from "./remove-member.ts";
