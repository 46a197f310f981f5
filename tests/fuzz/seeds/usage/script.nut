IncludeScript("shared"); # IncludeScript("never")
/* PrecacheModel("models/never.mdl") */
PrecacheModel("models/made.mdl"); local t = "models/never_there.mdl"; // "never.nut"
EmitSoundOn("script/ding.wav", self); IncludeScript("ab" + "sent_" + name);
