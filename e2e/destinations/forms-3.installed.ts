import { testForms } from "./kit/open-forms.js";

testForms(3);
