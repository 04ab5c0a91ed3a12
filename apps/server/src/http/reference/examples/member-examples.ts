import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const PASSWORD = "correct horse battery staple";
const AT = "2024-05-12T09:30:00.000Z";

const SESSION = {
  is_operator: false,
  member: {
    id: EXAMPLE.member,
    email: "grace@example.com",
    name: "Grace",
    has_password: true,
  },
  session_id: EXAMPLE.session,
  csrf_token: "Y3NyZi10b2tlbi1vZi10aGUtZXhhbXBsZQ",
  organizations: [{ id: EXAMPLE.organization, namespace: "default", name: "Default", enabled: true, role: "editor" }],
};

const MEMBER = {
  id: EXAMPLE.member,
  email: "grace@example.com",
  name: "Grace",
  role: "editor",
  is_operator: false,
  created_at: AT,
  last_signed_in_at: AT,
};

const INVITATION = {
  id: EXAMPLE.invitation,
  email: "ken@example.com",
  role: "viewer",
  invited_by: "Grace",
  created_at: AT,
  expires_at: "2024-05-19T09:30:00.000Z",
};

/** People who sign in: sessions, members, invitations and the audit log. */
export const MEMBER_EXAMPLES: Examples = {
  "GET /api/v1/session": [{ answer: SESSION }],
  "GET /api/v1/session/options": [{ answer: { mail: false } }],
  "POST /api/v1/session": [{ body: { email: "grace@example.com", password: PASSWORD }, answer: SESSION }],
  "POST /api/v1/session/link/preview": [
    { body: { token: EXAMPLE.signInToken }, answer: { email: "grace@example.com", name: "Grace" } },
  ],
  "POST /api/v1/session/link": [{ body: { token: EXAMPLE.signInToken }, answer: SESSION }],
  "POST /api/v1/session/mail": [
    {
      body: { email: "grace@example.com" },
      answer: { message: "If there is a member with this address, a link was sent to it." },
    },
  ],
  "PUT /api/v1/session/me": [{ body: { name: "Grace" }, answer: SESSION }],
  "GET /api/v1/sessions": [
    {
      parameters: { page: 1, per_page: 30 },
      answer: [
        {
          id: EXAMPLE.session,
          user_agent: "Mozilla/5.0",
          address: "192.0.2.1",
          created_at: AT,
          last_seen_at: AT,
          expires_at: "2024-06-11T09:30:00.000Z",
          current: true,
        },
      ],
    },
  ],
  "DELETE /api/v1/session": [{ answer: { ended: 1 } }],
  "DELETE /api/v1/sessions/{id}": [{ parameters: { id: EXAMPLE.session }, answer: { ended: 1 } }],
  "DELETE /api/v1/sessions": [{ answer: { ended: 3 } }],
  "POST /api/v1/sign_in_links": [
    {
      body: { email: "grace@example.com" },
      answer: { url: `https://muster.example.com/sign-in/link/${EXAMPLE.signInToken}` },
    },
  ],
  "GET /api/v1/members": [{ parameters: { page: 1, per_page: 30 }, answer: [MEMBER] }],
  "PUT /api/v1/members/{id}": [{ parameters: { id: EXAMPLE.member }, body: { role: "owner" }, answer: MEMBER }],
  "DELETE /api/v1/members/{id}": [
    { parameters: { id: EXAMPLE.otherMember }, answer: { id: EXAMPLE.otherMember, deleted: true } },
  ],
  "GET /api/v1/invitations": [{ parameters: { page: 1, per_page: 30 }, answer: [INVITATION] }],
  "POST /api/v1/invitations": [
    {
      body: { email: "ken@example.com", role: "viewer" },
      answer: {
        ...INVITATION,
        url: `https://muster.example.com/invitations/${EXAMPLE.invitationToken}`,
        mailed: false,
      },
    },
  ],
  "DELETE /api/v1/invitations/{id}": [
    { parameters: { id: EXAMPLE.invitation }, answer: { id: EXAMPLE.invitation, deleted: true } },
  ],
  "POST /api/v1/invitations/preview": [
    {
      body: { token: EXAMPLE.invitationToken },
      answer: {
        email: "ivan@example.com",
        role: "viewer",
        organization: "Default",
        invited_by: "Grace",
        is_member: false,
      },
    },
  ],
  "POST /api/v1/invitations/accept": [
    { body: { token: EXAMPLE.invitationToken, name: "Ivan", password: PASSWORD }, answer: SESSION },
  ],
  "GET /api/v1/audit": [
    {
      parameters: { page: 1, per_page: 30 },
      answer: [
        {
          id: 12,
          happened_at: AT,
          member_id: EXAMPLE.member,
          who: "Grace <grace@example.com>",
          action: "PUT /api/v1/:id",
          object_type: "users_segment",
          object_id: EXAMPLE.usersSegment,
          label: "Customers",
          before: { name: "Buyers" },
          after: { name: "Customers" },
          address: "192.0.2.1",
        },
      ],
    },
  ],
};
